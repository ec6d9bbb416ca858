using System.Runtime.CompilerServices;
using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Ycsb.Engines.Tables;

namespace Faster.Ycsb.Engines.Bare;

/// <summary>
/// A bare table used by batches of <see cref="StoreNames.BatchLength"/> keys: all buckets are fetched, then all
/// records, then the operations are done.
/// </summary>
internal sealed class BareBatchWorker(BareTable table) : DividingWorker
{
    private readonly TableWorker<BareWords> _single = new(new(table));

    /// <inheritdoc/>
    public override int CallLength => StoreNames.BatchLength;

    /// <inheritdoc/>
    public override long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            sum += _single.Read(Fetched(keys));
        return sum;
    }

    /// <inheritdoc/>
    public override long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            absent += _single.CountAbsent(Fetched(keys));
        return absent;
    }

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            _single.Upsert(Fetched(keys), mask);
    }

    /// <inheritdoc/>
    public override void Rmw(ReadOnlySpan<long> keys)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
            _single.Rmw(Fetched(keys));
    }

    /// <inheritdoc/>
    public override void Fetch(ReadOnlySpan<long> keys, Span<long> words) => _single.Fetch(keys, words);

    /// <inheritdoc/>
    public override void Dispose() => _single.Dispose();

    // The operations hash their keys again, in cache: some five instructions each.
    [SkipLocalsInit]
    private ReadOnlySpan<long> Fetched(ReadOnlySpan<long> keys)
    {
        ReadOnlySpan<long> batch = keys[..Math.Min(CallLength, keys.Length)];
        Span<ulong> hashes = stackalloc ulong[StoreNames.BatchLength];
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
