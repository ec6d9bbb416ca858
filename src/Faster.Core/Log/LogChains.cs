using Faster.Contracts;
using Faster.Index;

namespace Faster.Log;

/// <summary>
/// Parts and joins chains of a paged log when the index is resized (paper 000, App. B). Records of the log can't be
/// relinked, for those on disk can't be written: a part of a chain may stay shared, and chains are joined by a record
/// in front.
/// </summary>
/// <remarks>
/// Invariant: addresses fall along every chain. A merge record has been allocated after all records of both chains
/// were linked, for nobody works on them meanwhile; it is written before it is linked, and not changed any more.
/// Thread-safe, under the caller's epoch.
/// </remarks>
internal static unsafe class LogChains<TProbe>
    where TProbe : struct, IProbe
{
    /// <inheritdoc cref="IChainResizer.Split"/>
    /// <param name="log">The log.</param>
    /// <param name="seed">The key of the hash.</param>
    /// <param name="head">As there.</param>
    /// <param name="rule">As there.</param>
    /// <param name="left">As there.</param>
    /// <param name="right">As there.</param>
    public static void Split(
        PagedLog<TProbe> log, in HashSeed seed, long head, in SplitRule rule, out long left, out long right)
    {
        // The entry of each side points to the newest record in memory that belongs to it; where memory ends, both
        // share the rest of the chain.
        left = right = 0;
        long address = head, inMemory = log.HeadAddress;
        while (address >= inMemory && (left == 0 || right == 0))
        {
            byte* record = log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (MergeRecord.Is(header))
            {
                // Of a larger index: all behind it is one side's, but it does not say whose.
                if (MergeRecord.BucketCount(record) > rule.NewBucketCount) break;
                if (MergeRecord.BucketCount(record) == rule.NewBucketCount)
                {
                    if (left == 0) left = LiveOrNone(log, RecordHeader.Previous(header));
                    if (right == 0) right = LiveOrNone(log, MergeRecord.Right(record));
                    return;
                }

                address = MergeRecord.Next(record, header, rule.AnyHash);
                continue;
            }

            ulong hash = log.Layout.Hash(record, seed);
            if (left == 0 && rule.IsLeft(hash)) left = address;
            else if (right == 0 && rule.IsRight(hash)) right = address;
            address = RecordHeader.Previous(header);
        }

        if (TProbe.Has(SeededBug.SplitDropsSibling)) return;
        if (left == 0) left = LiveOrNone(log, address);
        if (right == 0) right = LiveOrNone(log, address);
    }

    /// <inheritdoc cref="IChainResizer.TryMerge"/>
    /// <param name="log">The log.</param>
    /// <param name="left">As there.</param>
    /// <param name="right">As there.</param>
    /// <param name="hash">As there.</param>
    /// <param name="largerBucketCount">As there.</param>
    /// <param name="head">As there.</param>
    public static bool TryMerge(
        PagedLog<TProbe> log, long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        left = LiveOrNone(log, left);
        right = LiveOrNone(log, right);
        head = left == 0 ? right : left;
        if (left == 0 || right == 0 || left == right) return true;
        if (!log.TryAllocate(null, MergeRecord.Size, out head)) return false;
        byte* record = log.Pointer(head);
        MergeRecord.Write(record, right, hash, largerBucketCount);
        RecordHeader.Write(record, RecordHeader.Make(left, RecordHeader.Merge));
        return true;
    }

    private static long LiveOrNone(PagedLog<TProbe> log, long address) => address < log.BeginAddress ? 0 : address;
}
