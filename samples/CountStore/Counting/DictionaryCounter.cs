using System.Runtime.InteropServices;
using CountStore.Input;

namespace CountStore.Counting;

/// <summary>Counts in a plain dictionary under a lock: what the store's counts are verified against.</summary>
internal sealed class DictionaryCounter : ICounter
{
    private readonly Dictionary<byte[], long> _counts = new(KeyBytesComparer.Instance);
    private readonly Lock _lock = new();

    /// <inheritdoc/>
    public StoreUse Use => default;

    /// <summary>How many keys there are.</summary>
    public int Keys => _counts.Count;

    /// <summary>A key's count; 0 for a key that was never counted.</summary>
    public long CountOf(ReadOnlySpan<byte> key) =>
        _counts.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(key, out long count) ? count : 0;

    /// <summary>Changes a key's count, or adds the key.</summary>
    public void Set(byte[] key, long count) => _counts[key] = count;

    /// <inheritdoc/>
    public ICountWorker StartWorker() => new Worker(this);

    /// <inheritdoc/>
    public void Visit(CountVisitor visitor)
    {
        foreach ((byte[] key, long count) in _counts) visitor(key, count);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private sealed class Worker(DictionaryCounter counter) : ICountWorker
    {
        public long KeysCounted => 0;

        public void Pass(KeyBatch batch, int count, long before) =>
            throw new InvalidOperationException("A dictionary keeps nothing from an earlier run.");

        public void Count(KeyBatch batch, int first)
        {
            lock (counter._lock)
            {
                var counts = counter._counts.GetAlternateLookup<ReadOnlySpan<byte>>();
                for (int key = first; key < batch.Count; key++)
                    CollectionsMarshal.GetValueRefOrAddDefault(counts, batch[key], out _)++;
            }
        }

        public ValueTask ReadAsync(KeyBatch batch, long[] counts)
        {
            lock (counter._lock)
            {
                for (int key = 0; key < batch.Count; key++) counts[key] = counter.CountOf(batch[key]);
            }

            return ValueTask.CompletedTask;
        }

        public void Finish()
        {
        }

        public void Dispose()
        {
        }
    }
}
