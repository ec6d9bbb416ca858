using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>What the copies of one compaction have in common, in a store whose updates merge.</summary>
/// <param name="Schema">The store's records, and their merger.</param>
/// <param name="Layout">Where key and value lie in a record.</param>
/// <param name="Seals">The records that are kept from being updated.</param>
/// <param name="Tally">What has been copied.</param>
internal sealed record CollapseRun<TProbe>(
    RecordSchema Schema, RecordLayout Layout, PartSeals<TProbe> Seals, CopyTally Tally)
    where TProbe : struct, IProbe;
