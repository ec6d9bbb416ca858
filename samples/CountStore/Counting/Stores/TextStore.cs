using Faster;

namespace CountStore.Counting.Stores;

/// <summary>Counts texts.</summary>
internal sealed class TextStore(Texts.IStore store) : ICountStore
{
    /// <inheritdoc/>
    public ICommittingStore Base => store;

    /// <inheritdoc/>
    public ICountSession StartSession(string? name) => new Session(store.StartSession(name));

    /// <inheritdoc/>
    public void Visit(CountVisitor visitor)
    {
        foreach (Texts.Record record in store.ScanAsync().ToBlockingEnumerable()) visitor(record.Key, record.Value);
    }

    private sealed class Session(Texts.ISession session) : ICountSession
    {
        public ICommittingSession Base => session;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context) => session.Rmw(key, 1, context);

        public ValueTask<Status> CountAsync(ReadOnlySpan<byte> key) => session.RmwAsync(key, 1);

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) => session.ReadAsync(key);
    }
}
