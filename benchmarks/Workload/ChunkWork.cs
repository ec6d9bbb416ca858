namespace Faster.Workload;

/// <summary>What a thread does with each chunk of its keys. The call shows in no figure: a chunk is long.</summary>
internal delegate void ChunkWork(IWorker worker, ReadOnlySpan<long> keys);
