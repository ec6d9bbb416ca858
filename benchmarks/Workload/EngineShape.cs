namespace Faster.Workload;

/// <summary>What a store must hold.</summary>
/// <param name="Keys">How many keys there will be at most.</param>
/// <param name="ValueBytes">The size of each value.</param>
/// <param name="MemoryBytes">The memory for records, index, caches and buffers; null for as much as that needs.</param>
/// <param name="LimitBytes">The limit under which the process runs; null for none.</param>
internal sealed record EngineShape(long Keys, int ValueBytes, long? MemoryBytes, long? LimitBytes = null);
