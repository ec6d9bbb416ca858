using Faster.Contracts;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Log.Records;

/// <summary>
/// Splits and joins the chains of a paged log when the index is resized (paper 000, App. B). Records of the log can't
/// be relinked, because those on disk can't be written: the end of a chain may stay shared after a split, and chains
/// are joined by a record in front of both.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Addresses fall along every chain.</item>
/// <item>A chain-join record is allocated after all records of both chains were linked, because no operation works on
/// the chains meanwhile.</item>
/// <item>A chain-join record is written before it is linked, and does not change afterwards.</item>
/// </list>
/// <para>Thread-safe, under the caller's epoch.</para>
/// </remarks>
internal static unsafe class LogChains
{
    /// <inheritdoc cref="IChainResizer.Split"/>
    /// <param name="log">The log.</param>
    /// <param name="seed">The key of the hash.</param>
    /// <param name="head">See <see cref="IChainResizer.Split"/>.</param>
    /// <param name="rule">See <see cref="IChainResizer.Split"/>.</param>
    /// <param name="left">See <see cref="IChainResizer.Split"/>.</param>
    /// <param name="right">See <see cref="IChainResizer.Split"/>.</param>
    public static void Split(
        PagedLog log, in HashSeed seed, long head, in SplitRule rule, out long left, out long right)
    {
        // The entry of each side points to the newest record in memory that belongs to it; where memory ends, both
        // sides share the rest of the chain.
        left = right = 0;
        long address = head, inMemory = log.HeadAddress;
        while (address >= inMemory && (left == 0 || right == 0))
        {
            byte* record = log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (ChainJoinRecord.Is(header))
            {
                // A chain-join record of a larger index: the whole chain behind it belongs to one side, but it does not
                // say to which.
                if (ChainJoinRecord.BucketCount(record) > rule.NewBucketCount) break;
                if (ChainJoinRecord.BucketCount(record) == rule.NewBucketCount)
                {
                    if (left == 0) left = LiveOrNone(log, RecordHeader.Previous(header));
                    if (right == 0) right = LiveOrNone(log, ChainJoinRecord.Right(record));
                    return;
                }

                address = ChainJoinRecord.Next(record, header, rule.AnyHash);
                continue;
            }

            ulong hash = log.Layout.Hash(record, seed);
            if (left == 0 && rule.IsLeft(hash)) left = address;
            else if (right == 0 && rule.IsRight(hash)) right = address;
            address = RecordHeader.Previous(header);
        }

        if (Probe.On && Probe.Has(SeededBug.SplitDropsSibling)) return;
        if (left == 0) left = LiveOrNone(log, address);
        if (right == 0) right = LiveOrNone(log, address);
    }

    /// <inheritdoc cref="IChainResizer.TryJoin"/>
    /// <param name="log">The log.</param>
    /// <param name="left">See <see cref="IChainResizer.TryJoin"/>.</param>
    /// <param name="right">See <see cref="IChainResizer.TryJoin"/>.</param>
    /// <param name="hash">See <see cref="IChainResizer.TryJoin"/>.</param>
    /// <param name="largerBucketCount">See <see cref="IChainResizer.TryJoin"/>.</param>
    /// <param name="head">See <see cref="IChainResizer.TryJoin"/>.</param>
    public static bool TryJoin(PagedLog log, long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        left = LiveOrNone(log, left);
        right = LiveOrNone(log, right);
        head = left == 0 ? right : left;
        if (left == 0 || right == 0 || left == right) return true;
        if (!log.TryAllocate(null, ChainJoinRecord.Size, out head)) return false;
        Invariant.Check(
            head > left && head > right, $"addresses fall along a chain: {head} leads to {left} and {right}");
        byte* record = log.Pointer(head);
        ChainJoinRecord.Write(record, right, hash, largerBucketCount);
        RecordHeader.Write(record, RecordHeader.Make(left, RecordHeader.ChainJoin));
        return true;
    }

    private static long LiveOrNone(PagedLog log, long address) => address < log.BeginAddress ? 0 : address;
}
