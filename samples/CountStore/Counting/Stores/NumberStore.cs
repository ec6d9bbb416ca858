using Faster;

namespace CountStore.Counting.Stores;

/// <summary>Counts numbers of 64 bits.</summary>
internal sealed class NumberStore(Numbers.IStore store) : ICountStore
{
    /// <inheritdoc/>
    public ICommittingStore Base => store;

    /// <inheritdoc/>
    public ICountSession StartSession(string? name) => new Session(store.StartSession(name));

    /// <inheritdoc/>
    public void Visit(CountVisitor visitor)
    {
        foreach (Numbers.Record record in store.ScanAsync().ToBlockingEnumerable())
            visitor(BitConverter.GetBytes(record.Key), record.Value);
    }

    private sealed class Session(Numbers.ISession session) : ICountSession
    {
        public ICommittingSession Base => session;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context) =>
            session.Rmw(BitConverter.ToUInt64(key), 1, context);

        public ValueTask<Status> CountAsync(ReadOnlySpan<byte> key) => session.RmwAsync(BitConverter.ToUInt64(key), 1);

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) =>
            session.ReadAsync(BitConverter.ToUInt64(key));
    }
}
