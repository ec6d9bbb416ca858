using Faster.Memory;
using Faster.Probes;

namespace Faster.HashChunks;

/// <summary>
/// The first level of the index of cold records (paper 003 §6): for each chunk, the address of its newest record in the
/// chunk log; 0 while it has none. Eight bytes a chunk.
/// </summary>
/// <remarks>
/// <para>Invariant: the address of a chunk only rises, apart from a recovery, until the chunk has no entry any more;
/// then it may become 0.</para>
/// <para>A thread that has read 0 may replace 0, whatever the chunk was in between: at both moments it has no entry.
/// What is copied from a record is linked only in place of that record, whose address does not come again.</para>
/// <para>Thread-safe, latch-free.</para>
/// </remarks>
internal sealed unsafe class ChunkDirectory(long chunkCount) : IDisposable
{
    private readonly NativeBlock _block = new(chunkCount * sizeof(long));

    /// <summary>The number of chunks.</summary>
    public long ChunkCount => chunkCount;

    /// <summary>The place of a chunk's address.</summary>
    public long* PlaceOf(long chunk) => (long*)_block.Pointer + chunk;

    /// <summary>The chunk of a place.</summary>
    public long ChunkOf(long* place) => place - (long*)_block.Pointer;

    /// <summary>The address of a chunk's newest record; 0: there is none.</summary>
    public long AddressOf(long chunk) => Volatile.Read(ref *PlaceOf(chunk));

    /// <summary>Makes a new record a chunk's newest, if the one that it was copied from still is.</summary>
    public bool TryReplace(long* place, long from, long to)
    {
        Probe.Point(ProbePoint.RecordLink);
        if (Probe.On && Probe.Has(SeededBug.ChunkLinkedWithoutCompare))
        {
            Volatile.Write(ref *place, to);
            return true;
        }

        return Interlocked.CompareExchange(ref *place, to, from) == from;
    }

    /// <summary>Sets an address; before other threads use the directory.</summary>
    public void Restore(long chunk, long address) => *PlaceOf(chunk) = address;

    /// <inheritdoc/>
    public void Dispose() => _block.Dispose();
}
