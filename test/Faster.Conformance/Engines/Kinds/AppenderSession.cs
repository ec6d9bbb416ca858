using Faster.Conformance.Contract;
using Faster.LogSessions;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>A session of <see cref="Appenders"/> on any engine.</summary>
internal sealed class AppenderSession(Appenders.ISession session)
    : ISessionUnderTest<byte[], byte[]>, INamedSession, IExpiringSession
{
    /// <inheritdoc/>
    public TimeSpan TimeToLive
    {
        set => ((HashSession)session).TimeToLive = value;
    }

    /// <inheritdoc/>
    public Status Read(byte[] key, out byte[] value, PendingTicket<byte[]> ticket)
    {
        Status status = session.Read(key, out byte[]? output, ticket);
        value = output!;
        return status;
    }

    /// <inheritdoc/>
    public Status Upsert(byte[] key, byte[] value, PendingTicket<byte[]> ticket) =>
        session.Upsert(key, value, ticket);

    /// <inheritdoc/>
    public Status Rmw(byte[] key, byte[] input, PendingTicket<byte[]> ticket) => session.Rmw(key, input, ticket);

    /// <inheritdoc/>
    public Status Delete(byte[] key, PendingTicket<byte[]> ticket) => session.Delete(key, ticket);

    /// <inheritdoc/>
    public bool CompletePending(bool wait) => session.CompletePending(wait);

    /// <inheritdoc/>
    public ValueTask<ReadResult<byte[]>> ReadAsync(byte[] key) => session.ReadAsync(key);

    /// <inheritdoc/>
    public async ValueTask UpsertAsync(byte[] key, byte[] value) =>
        Assert.Equal(Status.Ok, await session.UpsertAsync(key, value));

    /// <inheritdoc/>
    public ValueTask<Status> RmwAsync(byte[] key, byte[] input) => session.RmwAsync(key, input);

    /// <inheritdoc/>
    public async ValueTask DeleteAsync(byte[] key) => await session.DeleteAsync(key);

    /// <inheritdoc/>
    public void ReadBatch(ReadOnlySpan<byte[]> keys, Span<ReadResult<byte[]>> results) =>
        session.Read(Memories(keys), results);

    /// <inheritdoc/>
    public void UpsertBatch(ReadOnlySpan<byte[]> keys, ReadOnlySpan<byte[]> values) =>
        session.Upsert(Memories(keys), Memories(values));

    /// <inheritdoc/>
    public void RmwBatch(ReadOnlySpan<byte[]> keys, ReadOnlySpan<byte[]> inputs) =>
        session.Rmw(Memories(keys), Memories(inputs));

    /// <inheritdoc/>
    public void RmwBatch(ReadOnlySpan<byte[]> keys, ReadOnlySpan<byte[]> inputs, Span<Status> statuses) =>
        session.Rmw(Memories(keys), Memories(inputs), statuses);

    /// <inheritdoc/>
    public void DeleteBatch(ReadOnlySpan<byte[]> keys) => session.Delete(Memories(keys));

    /// <inheritdoc/>
    public ICommittingSession Named => (ICommittingSession)session;

    /// <inheritdoc/>
    public void Prefetch(byte[] key) => session.Prefetch(key);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => session.DisposeAsync();

    private static ReadOnlyMemory<byte>[] Memories(ReadOnlySpan<byte[]> arrays)
    {
        var memories = new ReadOnlyMemory<byte>[arrays.Length];
        for (int i = 0; i < arrays.Length; i++) memories[i] = arrays[i];
        return memories;
    }
}
