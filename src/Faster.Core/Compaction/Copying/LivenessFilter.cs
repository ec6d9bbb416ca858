using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Compaction.Copying;

/// <summary>
/// The one place that decides whether compaction copies a record, as far as the record itself shows, and which flags
/// the copy keeps.
/// </summary>
/// <remarks>
/// A record that passes may still have been superseded: the conditional insert finds out. Thread-safe: it only reads.
/// </remarks>
/// <param name="storage">The storage of the log that is compacted.</param>
/// <param name="merges">Whether the store merges deltas.</param>
/// <param name="leaves">Whether the copies go to a tier below, where a tombstone may hide an older record.</param>
internal readonly struct LivenessFilter(LogStorage storage, bool merges, bool leaves = false)
{
    private const ulong Kept = RecordHeader.Large;

    /// <summary>Whether a record may be live, so that it may have to be copied.</summary>
    /// <param name="address">The record's address.</param>
    /// <param name="header">The record's header.</param>
    /// <exception cref="FasterException">The record is a delta, and the store has no merger.</exception>
    public bool MayLive(long address, ulong header)
    {
        // Nothing older remains for a tombstone to hide, and a chain-join record belongs to no key.
        if ((header & RecordHeader.ChainJoin) != 0) return false;
        if ((header & RecordHeader.Tombstone) != 0 && !leaves) return false;
        if (storage.IsDiscarded(address, header)) return false;

        // The sealed bit of a delta may only mean that another delta has been linked in front of it.
        if ((header & RecordHeader.Delta) != 0) return merges ? true : throw DeltaValues.NoMerger(address);

        // The sealed bit may be of an earlier process, and what superseded the record may have been lost in a crash.
        bool believed = address >= storage.OwnFrom || (Probe.On && Probe.Has(SeededBug.TrustForeignMarks));
        return (header & RecordHeader.Sealed) == 0 || !believed;
    }

    /// <summary>The flags of a record's copy: those that say how to read its value.</summary>
    public static ulong FlagsOf(ulong header) => header & Kept;
}
