namespace Faster.Testing;

/// <summary>The calls of a <see cref="FaultDevice"/> since it was created.</summary>
/// <param name="Reads">The number of read requests.</param>
/// <param name="Writes">The number of write requests.</param>
/// <param name="Syncs">The number of syncs.</param>
/// <param name="Faults">The number of calls that a fault hit.</param>
/// <param name="SyncsAfterFailure">The number of syncs after a failed one: a store must not make any.</param>
public readonly record struct FaultCounters(
    long Reads, long Writes, long Syncs, long Faults, long SyncsAfterFailure);
