using Faster;

namespace CountStore.Counting.Stores;

/// <summary>Counts texts on the engine FASTER.</summary>
internal sealed class TextStore(Texts.Store store) : ICountStore
{
    /// <inheritdoc/>
    public event Action<Commit>? Committed
    {
        add => store.Committed += value;
        remove => store.Committed -= value;
    }

    /// <inheritdoc/>
    public RecoveryReport? Recovery => store.Recovery;

    /// <inheritdoc/>
    public StoreUse Use => StoreUse.Of(store.Statistics);

    /// <inheritdoc/>
    public ICountWorker StartWorker(StoreCounter counter, string? session) =>
        new StoreWorker<Session>(counter, new Session(store.StartSession(session)));

    /// <inheritdoc/>
    public Task CommitAsync(CancellationToken cancellation) => store.CommitAsync(cancellationToken: cancellation);

    /// <inheritdoc/>
    public void Visit(CountVisitor visitor)
    {
        foreach (Texts.Record record in store.Scan()) visitor(record.Key, record.Value);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    private readonly struct Session(Texts.Session session) : ICountSession
    {
        public string? Name => session.Name;

        public long SerialNumber => session.SerialNumber;

        public CommitPoint RecoveredPoint => session.RecoveredPoint;

        public int PendingCount => session.PendingCount;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context) => session.Rmw(key, 1, context);

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) => session.ReadAsync(key);

        public void CompletePending(bool wait) => session.CompletePending(wait);

        public void Dispose() => session.Dispose();
    }
}
