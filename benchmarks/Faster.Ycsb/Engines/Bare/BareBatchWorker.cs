using System.Runtime.CompilerServices;
using Faster.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Bare;

/// <summary>
/// A bare table used by batches of <see cref="BatchWorker.BatchLength"/> keys: all buckets are fetched, then all
/// records, then the operations are done.
/// </summary>
internal sealed class BareBatchWorker(BareTable table) : IWorker
{
    private readonly BareWorker _single = new(table);
    private readonly MixedChunk _mixed = new();

    /// <inheritdoc/>
    public int CallLength => BatchWorker.BatchLength;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            sum += _single.Read(Fetched(keys));
        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            _single.Upsert(Fetched(keys), mask);
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            _single.Rmw(Fetched(keys));
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        _mixed.Divide(keys);
        Upsert(_mixed.Updates, mask);
        return Read(_mixed.Reads);
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        _mixed.Divide(keys);
        Rmw(_mixed.Updates);
        return Read(_mixed.Reads);
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words) => _single.Fetch(keys, words);

    /// <inheritdoc/>
    public void Dispose() => _single.Dispose();

    // The operations hash their keys again, in cache: some five instructions each.
    [SkipLocalsInit]
    private ReadOnlySpan<long> Fetched(ReadOnlySpan<long> keys)
    {
        ReadOnlySpan<long> batch = keys[..Math.Min(CallLength, keys.Length)];
        Span<ulong> hashes = stackalloc ulong[BatchWorker.BatchLength];
        for (int i = 0; i < batch.Length; i++)
        {
            hashes[i] = table.HashOf(batch[i]);
            table.Prefetch(hashes[i]);
        }

        foreach (ulong hash in hashes[..batch.Length])
            table.PrefetchRecord(hash);
        return batch;
    }
}
