using Faster.Conformance.Contract;
using Faster.LogSessions;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>A session of <see cref="Counters"/> on any engine.</summary>
internal sealed class CounterSession(Counters.ISession session)
    : ISessionUnderTest<long, long>, INamedSession, IExpiringSession
{
    /// <inheritdoc/>
    public TimeSpan TimeToLive
    {
        set => ((HashSession)session).TimeToLive = value;
    }

    /// <inheritdoc/>
    public Status Read(long key, out long value, PendingTicket<long> ticket)
    {
        Status status = session.Read(key, out long output, ticket);
        value = output;
        return status;
    }

    /// <inheritdoc/>
    public Status Upsert(long key, long value, PendingTicket<long> ticket) =>
        session.Upsert(key, value, ticket);

    /// <inheritdoc/>
    public Status Rmw(long key, long input, PendingTicket<long> ticket) => session.Rmw(key, input, ticket);

    /// <inheritdoc/>
    public Status Delete(long key, PendingTicket<long> ticket) => session.Delete(key, ticket);

    /// <inheritdoc/>
    public bool CompletePending(bool wait) => session.CompletePending(wait);

    /// <inheritdoc/>
    public ValueTask<ReadResult<long>> ReadAsync(long key) => session.ReadAsync(key);

    /// <inheritdoc/>
    public async ValueTask UpsertAsync(long key, long value) =>
        Assert.Equal(Status.Ok, await session.UpsertAsync(key, value));

    /// <inheritdoc/>
    public ValueTask<Status> RmwAsync(long key, long input) => session.RmwAsync(key, input);

    /// <inheritdoc/>
    public async ValueTask DeleteAsync(long key) => await session.DeleteAsync(key);

    /// <inheritdoc/>
    public void ReadBatch(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) =>
        session.Read(keys, results);

    /// <inheritdoc/>
    public void UpsertBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) =>
        session.Upsert(keys, values);

    /// <inheritdoc/>
    public void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs) =>
        session.Rmw(keys, inputs);

    /// <inheritdoc/>
    public void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs, Span<Status> statuses) =>
        session.Rmw(keys, inputs, statuses);

    /// <inheritdoc/>
    public void DeleteBatch(ReadOnlySpan<long> keys) => session.Delete(keys);

    /// <inheritdoc/>
    public ICommittingSession Named => (ICommittingSession)session;

    /// <inheritdoc/>
    public void Prefetch(long key) => session.Prefetch(key);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => session.DisposeAsync();
}
