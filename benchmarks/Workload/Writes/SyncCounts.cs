namespace Faster.Workload.Writes;

/// <summary>What an engine has counted of its syncs up to a moment.</summary>
/// <param name="Count">How many there were.</param>
/// <param name="Seconds">How long they took in all; null where the engine does not tell.</param>
internal readonly record struct SyncCounts(long Count, double? Seconds);
