using Faster.Log.Records;
using Faster.Operations;

namespace Faster.Compaction.Copying;

/// <summary>The copy of one record to the tail with its value unchanged: it runs no user code.</summary>
/// <remarks>
/// Refers to the record in the page's copy, which is kept until all copies of its records are complete.
/// </remarks>
/// <param name="record">The record.</param>
/// <param name="above">Where its key may have no newer record.</param>
/// <param name="isTombstone">Whether the copy is a tombstone, whatever the record is.</param>
/// <param name="counters">Counts the copy once it is linked.</param>
internal readonly struct CopyToTail(PageRecord record, long above, bool isTombstone, CopyCounters counters)
    : IConditionalInsert
{
    /// <inheritdoc/>
    /// <remarks>0: not known at compile time, but defined by the store's schema.</remarks>
    public static int ValueSize => 0;

    /// <inheritdoc/>
    public static bool LatchesUpdates => false;

    /// <inheritdoc/>
    public static bool LatchesReads => false;

    /// <inheritdoc/>
    public static bool RunsUserCode => false;

    /// <inheritdoc/>
    public bool IsAwaited => false;

    /// <inheritdoc/>
    public long Above => above;

    /// <inheritdoc/>
    public ulong Flags => isTombstone ? RecordHeader.Tombstone : LivenessFilter.FlagsOf(record.Header);

    /// <inheritdoc/>
    public long Expiry => isTombstone ? RecordExpiry.Never : record.Expiry;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Value => isTombstone ? default : record.Value;

    /// <inheritdoc/>
    public void Capture() { }

    /// <inheritdoc/>
    public void Complete(Status status, Exception? error)
    {
        if (error is null && status == Status.Ok) counters.Count(record.Size);
    }
}
