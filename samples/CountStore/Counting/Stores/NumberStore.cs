using Faster;

namespace CountStore.Counting.Stores;

/// <summary>Counts numbers of 64 bits on the engine FASTER.</summary>
internal sealed class NumberStore(Numbers.Store store) : ICountStore
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
        Span<byte> key = stackalloc byte[sizeof(ulong)];
        foreach (Numbers.Record record in store.Scan())
        {
            BitConverter.TryWriteBytes(key, record.Key);
            visitor(key, record.Value);
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    private readonly struct Session(Numbers.Session session) : ICountSession
    {
        public string? Name => session.Name;

        public long SerialNumber => session.SerialNumber;

        public CommitPoint RecoveredPoint => session.RecoveredPoint;

        public int PendingCount => session.PendingCount;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context) =>
            session.Rmw(BitConverter.ToUInt64(key), 1, context);

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) =>
            session.ReadAsync(BitConverter.ToUInt64(key));

        public void CompletePending(bool wait) => session.CompletePending(wait);

        public void Dispose() => session.Dispose();
    }
}
