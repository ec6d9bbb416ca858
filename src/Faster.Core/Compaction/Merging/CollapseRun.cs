using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Sessions;
using Faster.Store.Merging;

namespace Faster.Compaction.Merging;

/// <summary>What the copies of one compaction worker share, in a store whose updates merge.</summary>
/// <param name="Schema">The schema of the records, with their merger.</param>
/// <param name="Layout">The positions of key, expiry and value within a record.</param>
/// <param name="HeldDeltas">The deltas that are kept from being updated.</param>
/// <param name="Counters">The worker's counters.</param>
/// <param name="Session">The worker's session.</param>
internal sealed unsafe record CollapseRun<TProbe>(
    RecordSchema Schema, RecordLayout Layout, HeldDeltas<TProbe> HeldDeltas, CopyCounters Counters,
    LogSession<TProbe> Session)
    where TProbe : struct, IProbe
{
    /// <summary>
    /// Releases the record that a failed operation had sealed. Called on the worker's thread, outside every epoch.
    /// </summary>
    public void Release(long address) => HeldDeltas.Lift(Session.Slot, address);

    /// <summary>Releases all records that are still sealed. Called as <see cref="Release"/>.</summary>
    public void ReleaseAll() => HeldDeltas.LiftAll(Session.Slot);
}
