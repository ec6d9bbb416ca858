using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Compaction.Merging;

/// <summary>What the copies of one compaction worker share, in a store whose updates merge.</summary>
/// <param name="Schema">The schema of the records, with their merger.</param>
/// <param name="Layout">The positions of key, expiry and value within a record.</param>
/// <param name="HeldDeltas">The deltas that are kept from being updated.</param>
/// <param name="Counters">The worker's counters.</param>
/// <param name="Session">The worker's session.</param>
internal sealed unsafe record CollapseRun(
    RecordSchema Schema, RecordLayout Layout, HeldDeltas HeldDeltas, CopyCounters Counters,
    LogSession Session)
{
    /// <summary>Whether a record must be collapsed, because it is a delta.</summary>
    public static bool Takes(ulong header) =>
        (header & RecordHeader.Delta) != 0 && !(Probe.On && Probe.Has(SeededBug.DeltaMoves));

    /// <summary>
    /// Begins to collapse the key of a record, whose bytes stay until the session has completed what is pending.
    /// </summary>
    /// <param name="runner">The runner of the session, in the tier that is compacted.</param>
    /// <param name="key">The record's key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="header">Its header.</param>
    /// <param name="record">The record.</param>
    public void Collapse<TEntries>(
        OperationRunner runner, in RecordKey key, ulong hash, long address, ulong header, byte* record)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        var collapse = new RecordCollapse(this, address, header, record);
        Status merged = CompactionInsert.Run<
            CollapseAlgorithm<TEntries, RecordCollapse>, RecordCollapse>(
            runner, key, hash, ref collapse);
        if (merged != Status.Pending) collapse.Complete(merged, null);
    }

    /// <summary>
    /// Releases the record that a failed operation had sealed. Called on the worker's thread, outside every epoch.
    /// </summary>
    public void Release(long address) => HeldDeltas.Lift(Session.Slot, address);

    /// <summary>Releases all records that are still sealed. Called as <see cref="Release"/>.</summary>
    public void ReleaseAll() => HeldDeltas.LiftAll(Session.Slot);
}
