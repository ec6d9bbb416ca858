namespace Faster.Conformance.Contract;

/// <summary>Status forms that wait for their end, for tests that do not care about pending operations.</summary>
public static class SessionSteps
{
    /// <summary>Reads, and completes the read.</summary>
    public static ReadResult<TValue> ReadNow<TKey, TValue>(this ISessionUnderTest<TKey, TValue> session, TKey key)
    {
        var ticket = new PendingTicket<TValue>();
        Status status = session.Read(key, out TValue value, ticket);
        if (Completes(session, status, ticket)) (status, value) = (ticket.Status, ticket.Value!);
        return status == Status.Ok ? new(true, value) : default;
    }

    /// <summary>Sets a value, and completes.</summary>
    public static void UpsertNow<TKey, TValue>(this ISessionUnderTest<TKey, TValue> session, TKey key, TValue value)
    {
        var ticket = new PendingTicket<TValue>();
        Status status = session.Upsert(key, value, ticket);
        if (Completes(session, status, ticket)) status = ticket.Status;
        Assert.Equal(Status.Ok, status);
    }

    /// <summary>Updates a value, and completes.</summary>
    public static void RmwNow<TKey, TValue>(this ISessionUnderTest<TKey, TValue> session, TKey key, TValue input) =>
        _ = session.RmwStatus(key, input);

    /// <summary>Updates a value, and completes.</summary>
    /// <returns>Ok, or Created.</returns>
    public static Status RmwStatus<TKey, TValue>(this ISessionUnderTest<TKey, TValue> session, TKey key, TValue input)
    {
        var ticket = new PendingTicket<TValue>();
        Status status = session.Rmw(key, input, ticket);
        if (Completes(session, status, ticket)) status = ticket.Status;
        Assert.True(status is Status.Ok or Status.Created, $"A read-modify-write returned {status}.");
        return status;
    }

    /// <summary>Removes a key, and completes.</summary>
    /// <returns>Ok, or NotFound when the key was absent.</returns>
    public static Status DeleteNow<TKey, TValue>(this ISessionUnderTest<TKey, TValue> session, TKey key)
    {
        var ticket = new PendingTicket<TValue>();
        Status status = session.Delete(key, ticket);
        return Completes(session, status, ticket) ? ticket.Status : status;
    }

    private static bool Completes<TKey, TValue>(
        ISessionUnderTest<TKey, TValue> session, Status status, PendingTicket<TValue> ticket)
    {
        if (status != Status.Pending)
        {
            Assert.True(ticket.Calls == 0, $"An operation that returned {status} called its completion callback.");
            return false;
        }

        Assert.True(session.CompletePending(wait: true), "CompletePending(wait: true) left operations pending.");
        ticket.AssertDone();
        return true;
    }
}
