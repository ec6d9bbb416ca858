using Faster.Log.Records;

namespace Faster.Index.Resizing;

/// <summary>
/// One doubling or halving of the index: the two tables, and the chunks of the old one with their pins (App. B).
/// </summary>
/// <remarks>
/// <para>A chunk's word counts the operations that use the chunk while it is 0 or above; below 0 the chunk is being
/// converted (split or joined), or has been. It goes below 0 only from 0, and stays there: a conversion that throws, or
/// finds no space, leaves a number that can be claimed again but not pinned, because a part of the chunk may have
/// moved, and a thread may have read long ago that the phase is prepare.</para>
/// <para>Chunks hold 512 buckets, so that an operation that has to convert one is not delayed long; fewer in a small
/// index, so that operations can work in parallel, and more where there would be over 65,536 chunks. Buckets that are
/// joined, 2b and 2b + 1, belong to one chunk.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class Resize
{
    private const int AimedChunkShift = 9;
    private const int AimedChunks = 64;
    private const int MaxChunks = 1 << 16;
    private const long Interrupted = -1;
    private const long Converting = -(1L << 32);
    private const long Done = long.MinValue / 2;

    private readonly long[] _pins;
    private readonly long _spareBytes;
    private readonly int _chunkShift;
    private long _doneCount;
    private int _cursor;

    /// <summary>Creates a resize that has not started.</summary>
    /// <param name="old">The table to replace; with an even number of buckets if they are joined.</param>
    /// <param name="new">An empty table of twice or half the size.</param>
    /// <param name="spareBytes">The bytes set aside for overflow buckets: <see cref="SpareBytes"/>.</param>
    /// <param name="chains">Splits and joins the hash chains.</param>
    /// <param name="onFinished">Called when the old table has been freed.</param>
    public Resize(IndexTable old, IndexTable @new, long spareBytes, IChainResizer chains, Action onFinished)
    {
        Kind = @new.BucketCount > old.BucketCount ? ResizeKind.Split : ResizeKind.Join;
        Old = old;
        New = @new;
        Chains = chains;
        OnFinished = onFinished;
        _spareBytes = spareBytes;

        _chunkShift = Kind == ResizeKind.Join ? 1 : 0;
        while (_chunkShift < AimedChunkShift && ChunksOf(old.BucketCount) > AimedChunks) _chunkShift++;
        while (ChunksOf(old.BucketCount) > MaxChunks) _chunkShift++;
        _pins = new long[ChunksOf(old.BucketCount)];
    }

    /// <summary>Whether the index doubles or is halved.</summary>
    public ResizeKind Kind { get; }

    /// <summary>The table that is being replaced.</summary>
    public IndexTable Old { get; }

    /// <summary>The table of twice or half the size.</summary>
    public IndexTable New { get; }

    /// <summary>Splits and joins the hash chains.</summary>
    public IChainResizer Chains { get; }

    /// <summary>Called when the old table has been freed.</summary>
    public Action OnFinished { get; }

    /// <summary>The number of chunks of the old table.</summary>
    public int ChunkCount => _pins.Length;

    /// <summary>The number of converted chunks.</summary>
    public long DoneCount => Volatile.Read(ref _doneCount);

    /// <summary>The bytes that conversions may still reserve for overflow buckets.</summary>
    public long SpareBytesLeft => Math.Max(
        (Kind == ResizeKind.Split ? SpareBytes(Kind, Old) : _spareBytes) - New.ResizePool.Bytes, 0);

    /// <summary>The maximum number of bytes that the conversions of a table may reserve for overflow buckets.</summary>
    /// <remarks>
    /// Each of the two chains that a chain is split into has at most as many entries, and so at most as many overflow
    /// buckets. The need of a join is counted over the current state of each chain. The pool's last piece may be an
    /// eighth too large, or a page.
    /// </remarks>
    /// <param name="kind">Whether the table doubles or is halved.</param>
    /// <param name="old">The table.</param>
    public static long SpareBytes(ResizeKind kind, IndexTable old)
    {
        long needed = kind == ResizeKind.Split
            ? 2 * old.OverflowBytes
            : IndexFill.OverflowWhenHalved(old) * HashBucket.SizeInBytes;
        return (needed * 9 / 8) + Environment.SystemPageSize;
    }

    /// <summary>The chunk of a bucket of the old table.</summary>
    public int ChunkOf(long bucket) => (int)(bucket >> _chunkShift);

    /// <summary>The first bucket of a chunk.</summary>
    public long FirstBucketOf(int chunk) => (long)chunk << _chunkShift;

    /// <summary>The first bucket after a chunk.</summary>
    public long EndBucketOf(int chunk) => Math.Min((long)(chunk + 1) << _chunkShift, Old.BucketCount);

    /// <summary>Whether a chunk has been converted; the results are then visible.</summary>
    public bool IsDone(int chunk) => Volatile.Read(ref _pins[chunk]) <= Done;

    /// <summary>Whether no operation uses a chunk, and no thread converts it or has converted it.</summary>
    public bool IsFree(int chunk) => Volatile.Read(ref _pins[chunk]) is 0 or Interrupted;

    /// <summary>Prevents the conversion of a chunk. False: its conversion has begun.</summary>
    public bool TryPin(int chunk)
    {
        long seen = Volatile.Read(ref _pins[chunk]);
        while (seen >= 0)
        {
            long was = Interlocked.CompareExchange(ref _pins[chunk], seen + 1, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>Ends one <see cref="TryPin"/>.</summary>
    public void Unpin(int chunk) => Interlocked.Decrement(ref _pins[chunk]);

    /// <summary>Claims a chunk for conversion: compare-and-swap of its pins from 0 to below all counts.</summary>
    public bool TryClaim(int chunk) => Interlocked.CompareExchange(ref _pins[chunk], Converting, 0) == 0
        || Interlocked.CompareExchange(ref _pins[chunk], Converting, Interrupted) == Interrupted;

    /// <summary>The seeded bug SplitIgnoresPins: claims a chunk that operations use.</summary>
    public bool TryClaimIgnoringPins(int chunk)
    {
        long seen = Volatile.Read(ref _pins[chunk]);
        return seen >= 0 && Interlocked.CompareExchange(ref _pins[chunk], Converting, seen) == seen;
    }

    /// <summary>
    /// Releases a claimed chunk that is not, or only in part, converted: it can be claimed again, but not pinned.
    /// </summary>
    public void GiveUp(int chunk) => Volatile.Write(ref _pins[chunk], Interrupted);

    /// <summary>The seeded bug InterruptedIsFree: as if no part of the chunk had been converted.</summary>
    public void GiveUpAsFree(int chunk) => Volatile.Write(ref _pins[chunk], 0);

    /// <summary>Publishes that a claimed chunk has been converted.</summary>
    /// <returns>Whether it was the last chunk; true for exactly one call.</returns>
    public bool MarkDone(int chunk)
    {
        Volatile.Write(ref _pins[chunk], Done);
        return Interlocked.Increment(ref _doneCount) == ChunkCount;
    }

    /// <summary>Whether some chunk seems free.</summary>
    public bool HasFreeChunk => _pins.AsSpan().IndexOfAny(0, Interrupted) >= 0;

    /// <summary>A chunk that seems free, a different one for each helper; -1 when there is none.</summary>
    public int FindFreeChunk()
    {
        uint start = (uint)(Interlocked.Increment(ref _cursor) - 1);
        for (uint i = 0; i < (uint)ChunkCount; i++)
        {
            int chunk = (int)((start + i) % (uint)ChunkCount);
            if (IsFree(chunk)) return chunk;
        }

        return -1;
    }

    private long ChunksOf(long bucketCount) => (bucketCount + (1L << _chunkShift) - 1) >> _chunkShift;
}
