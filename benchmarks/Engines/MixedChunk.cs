using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>
/// Divides a chunk of a mix into updates and reads, so that each can go in batches. A worker that does the updates
/// first reads what the chunk itself has inserted. Used by one thread.
/// </summary>
internal sealed class MixedChunk
{
    private readonly long[] _reads = new long[KeyStream.ChunkLength + 1];
    private readonly long[] _updates = new long[KeyStream.ChunkLength + 1];
    private int _readCount;
    private int _updateCount;

    /// <summary>The keys to read.</summary>
    public ReadOnlySpan<long> Reads => _reads.AsSpan(0, _readCount);

    /// <summary>The keys to update.</summary>
    public ReadOnlySpan<long> Updates => _updates.AsSpan(0, _updateCount);

    /// <summary>Divides a chunk.</summary>
    public void Divide(ReadOnlySpan<long> keys)
    {
        // Both places are written and one of them counts: no branch that could be guessed wrong.
        int reads = 0;
        int updates = 0;
        foreach (long key in keys)
        {
            _reads[reads] = key;
            _updates[updates] = ~key;
            int update = (int)(key >>> 63);
            reads += 1 - update;
            updates += update;
        }

        (_readCount, _updateCount) = (reads, updates);
    }
}
