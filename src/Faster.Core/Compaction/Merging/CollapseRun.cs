using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Operations.Merging;

namespace Faster.Compaction.Merging;

/// <summary>What the collapses of one thread of a compaction share.</summary>
/// <param name="Schema">The schema of the records, with their merger.</param>
/// <param name="Layout">The positions of key, expiry and value within a record.</param>
/// <param name="HeldDeltas">The deltas that are kept from being updated.</param>
/// <param name="Counters">Counts the records that were linked.</param>
/// <param name="Session">The thread's session.</param>
internal sealed unsafe record CollapseRun(
    RecordSchema Schema, RecordLayout Layout, HeldDeltas HeldDeltas, CopyCounters Counters, LogSession Session)
{
    /// <summary>
    /// Releases the record that a failed operation had sealed. Called on the session's thread, outside every epoch.
    /// </summary>
    public void Release(long address) => HeldDeltas.Lift(Session.Slot, address);
}
