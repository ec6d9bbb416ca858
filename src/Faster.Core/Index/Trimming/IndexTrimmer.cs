using Faster.Epochs;
using Faster.Log;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Index.Trimming;

/// <summary>
/// Goes over an index, and gives the overflow buckets that chains do not need any more back to their table, for other
/// chains (docs/internals/chain-trimming.md).
/// </summary>
/// <remarks>
/// Thread-safe: of several runs at once, one works. It does not wait for a resize, a checkpoint, or a commit that holds
/// the index's size: what it leaves is for the next run.
/// </remarks>
/// <param name="index">The index.</param>
/// <param name="epochs">The epochs of its users.</param>
/// <param name="waits">How a run waits.</param>
internal sealed class IndexTrimmer(HashIndex index, EpochTable epochs, IStepWaits waits)
{
    private const long PieceBuckets = 1 << 16; // the exclusion is held for one piece at a time

    /// <summary>Trims the chains that have overflow buckets. Called outside every epoch.</summary>
    /// <param name="begin">The log's begin address: entries that lead below it are emptied.</param>
    /// <returns>How many buckets were given back.</returns>
    public async Task<long> RunAsync(long begin)
    {
        long freed = 0;
        for (long from = 0; index.Exclusion.Wait(0); from += PieceBuckets)
        {
            try
            {
                IndexTable table = index.State.Table;
                if (from >= table.BucketCount) return freed;
                List<nint> unlinked = Unlink(table, from, Math.Min(from + PieceBuckets, table.BucketCount), begin);
                if (unlinked.Count == 0) continue;
                if (!(Probe.On && Probe.Has(SeededBug.BucketFreedWithoutEpoch))) await waits.SafeAsync().Here();
                GiveBack(table, unlinked);
                freed += unlinked.Count;
            }
            finally
            {
                index.Exclusion.Release();
            }
        }

        return freed;
    }

    private unsafe List<nint> Unlink(IndexTable table, long from, long to, long begin)
    {
        var unlinked = new List<nint>();
        EpochSlot* slot = epochs.Acquire("the trimming of the index");
        epochs.Enter(slot);
        try
        {
            for (HashBucket* first = table.Buckets + from, end = table.Buckets + to; first < end; first++)
                Trim(first, begin, unlinked);
        }
        finally
        {
            epochs.Leave(slot);
            epochs.Release(slot);
        }

        table.CountLinked(-unlinked.Count);
        return unlinked;
    }

    // Where tags are shared, slots are not filled again.
    private static unsafe void Trim(HashBucket* first, long begin, List<nint> unlinked)
    {
        if (HashBucket.Next(first) == null || HashBucket.SharesTags(first)) return;
        BucketChain.TryEmptyDead(first, begin);
        for (HashBucket* last; (last = ChainTrim.TryTakeLast(first)) != null;) unlinked.Add((nint)last);
    }

    private static unsafe void GiveBack(IndexTable table, List<nint> unlinked)
    {
        foreach (nint bucket in unlinked) table.Pool.Free((HashBucket*)bucket);
    }
}
