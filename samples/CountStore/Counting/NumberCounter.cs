using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>Counts 64-bit numbers in a store.</summary>
internal sealed class NumberCounter : StoreCounter
{
    private readonly Numbers.Store _store;

    /// <summary>Counts in a store, which is the counter's then.</summary>
    public NumberCounter(Numbers.Store store)
    {
        _store = store;
        _store.Committed += OnCommitted;
    }

    /// <inheritdoc/>
    public override RecoveryReport? Recovery => _store.Recovery;

    /// <inheritdoc/>
    public override StoreUse Use => StoreUse.Of(_store.Statistics);

    /// <inheritdoc/>
    public override ICountWorker StartWorker() => new Worker(this, _store.StartSession());

    /// <inheritdoc/>
    public override ICountWorker StartShare(int share, int shares) =>
        new Worker(this, _store.StartSession(SessionName(share, shares)));

    /// <inheritdoc/>
    public override Task CommitAsync(CancellationToken cancellation) =>
        _store.CommitAsync(cancellationToken: cancellation);

    /// <inheritdoc/>
    public override void Visit(CountVisitor visitor)
    {
        Span<byte> key = stackalloc byte[sizeof(ulong)];
        foreach (Numbers.Record record in _store.Scan())
        {
            BitConverter.TryWriteBytes(key, record.Key);
            visitor(key, record.Value);
        }
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _store.DisposeAsync();

    private sealed class Worker(NumberCounter counter, Numbers.Session session) : StoreWorker(counter, session.Name)
    {
        public override long KeysCounted => session.RecoveredPoint.SerialNumber;

        protected override long SerialNumber => session.SerialNumber;

        public override ValueTask ReadAsync(KeyBatch batch, long[] counts) =>
            ReadWindow.ReadAsync(counts, at => session.ReadAsync(BitConverter.ToUInt64(batch[at])));

        protected override void Update(KeyBatch batch, int first)
        {
            for (int at = first; at < batch.Count; at++)
            {
                // Pending updates go on while later ones are issued; the session limits how many there are at once.
                if (session.Rmw(BitConverter.ToUInt64(batch[at]), 1) == Status.Pending
                    && session.PendingCount >= StoreLimits.Pending)
                    Complete(wait: false);
            }
        }

        protected override void CompletePending(bool wait) => session.CompletePending(wait);

        protected override void Close() => session.Dispose();
    }
}
