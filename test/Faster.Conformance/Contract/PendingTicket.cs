namespace Faster.Conformance.Contract;

/// <summary>
/// The context of an operation: its callback runs once when a pending operation is done, never otherwise.
/// </summary>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>
/// <see cref="Tell"/> may run on any thread, one at a time; the test reads the ticket after the completing call has
/// returned.
/// </remarks>
public sealed class PendingTicket<TValue>
{
    private readonly Action<PendingTicket<TValue>>? _told;
    private int _calls;

    /// <summary>Makes a ticket.</summary>
    /// <param name="told">Runs inside the completion callback.</param>
    public PendingTicket(Action<PendingTicket<TValue>>? told = null) => _told = told;

    /// <summary>How often the callback ran.</summary>
    public int Calls => Volatile.Read(ref _calls);

    /// <summary>The outcome.</summary>
    public Status Status { get; private set; } = Status.Pending;

    /// <summary>What a read found.</summary>
    public TValue? Value { get; private set; }

    /// <summary>Why the operation failed, or null.</summary>
    public Exception? Error { get; private set; }

    /// <summary>The completion callback.</summary>
    public void Tell(Status status, TValue value, Exception? error)
    {
        (Status, Value, Error) = (status, value, error);
        Interlocked.Increment(ref _calls);
        _told?.Invoke(this);
    }

    /// <summary>Asserts that the callback ran once, and that the operation succeeded.</summary>
    public void AssertDone()
    {
        Assert.True(Calls == 1, $"The completion callback of a pending operation was called {Calls} times.");
        Assert.Null(Error);
        Assert.NotEqual(Status.Pending, Status);
    }
}
