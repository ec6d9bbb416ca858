using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>Counts 64-bit numbers in a store.</summary>
internal sealed class NumberCounter(Numbers.Store store) : ICounter
{
    /// <inheritdoc/>
    public StoreUse Use => StoreUse.Of(store.Statistics);

    /// <inheritdoc/>
    public ICountWorker StartWorker() => new Worker(store.StartSession());

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

    private sealed class Worker(Numbers.Session session) : ICountWorker
    {
        public void Count(KeyBatch batch)
        {
            for (int at = 0; at < batch.Count; at++)
            {
                // Pending updates go on while later ones are issued; the session limits how many there are at once.
                if (session.Rmw(BitConverter.ToUInt64(batch[at]), 1) == Status.Pending
                    && session.PendingCount >= StoreLimits.Pending)
                    session.CompletePending(wait: false);
            }
        }

        public void Finish() => session.CompletePending(wait: true);

        public ValueTask ReadAsync(KeyBatch batch, long[] counts) =>
            ReadWindow.ReadAsync(counts, at => session.ReadAsync(BitConverter.ToUInt64(batch[at])));

        public void Dispose() => session.Dispose();
    }
}
