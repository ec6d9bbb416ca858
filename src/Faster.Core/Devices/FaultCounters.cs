namespace Faster;

/// <summary>What a <see cref="FaultDevice"/> has seen since it was made.</summary>
/// <param name="Reads">Read requests.</param>
/// <param name="Writes">Write requests.</param>
/// <param name="Syncs">Syncs.</param>
/// <param name="Faults">Calls that a fault struck.</param>
/// <param name="SyncsAfterFailure">Syncs called after one had failed: no store may make one.</param>
public readonly record struct FaultCounters(
    long Reads, long Writes, long Syncs, long Faults, long SyncsAfterFailure);
