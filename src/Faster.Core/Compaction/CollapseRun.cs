using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>What the copies of one compaction have in common, in a store whose updates merge.</summary>
/// <param name="Schema">The store's records, and their merger.</param>
/// <param name="Layout">Where key and value lie in a record.</param>
/// <param name="Seals">The records that are kept from being updated.</param>
/// <param name="Tally">What has been copied.</param>
/// <param name="Session">The run's session.</param>
internal sealed unsafe record CollapseRun<TProbe>(
    RecordSchema Schema, RecordLayout Layout, PartSeals<TProbe> Seals, CopyTally Tally, FasterSession<TProbe> Session)
    where TProbe : struct, IProbe
{
    /// <summary>
    /// Lets go of a record that an operation which has failed had sealed. On the run's thread, outside every epoch.
    /// </summary>
    public void LetGo(long address) => Seals.Lift(Session.Slot, address);

    /// <summary>The same, for all records.</summary>
    public void LetAllGo() => Seals.LiftAll(Session.Slot);
}
