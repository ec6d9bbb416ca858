namespace Faster.Index;

/// <summary>
/// One doubling or halving of the index: the two tables, and the chunks of the old one with their pins (App. B).
/// </summary>
/// <remarks>
/// <para>A chunk's word counts the operations that work on it while it is 0 or above; below 0 the chunk is being
/// converted, that is split or merged, or has been. It goes below 0 only from 0, and stays there: a conversion that
/// throws, or finds no room, leaves a number that can be claimed again, and not pinned. For part of the chunk may have
/// moved, and somebody may have read long ago that the phase is prepare.</para>
/// <para>Chunks hold 512 buckets, so that an operation that has to convert one is not held up long; fewer in a small
/// index, so that operations can work beside each other, and more where there would be over 65,536 chunks. Buckets that
/// are merged, 2b and 2b + 1, are of one chunk.</para>
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

    /// <summary>A resize that has not begun.</summary>
    /// <param name="old">The table that is given up; of an even number of buckets if they are merged.</param>
    /// <param name="new">An empty table of twice the size, or half of it.</param>
    /// <param name="spareBytes">What is put by for overflow buckets: <see cref="SpareBytes"/>.</param>
    /// <param name="chains">Who parts and joins the chains of records.</param>
    /// <param name="onFinished">What to call when the old table has been freed.</param>
    public Resize(IndexTable old, IndexTable @new, long spareBytes, IChainResizer chains, Action onFinished)
    {
        Kind = @new.BucketCount > old.BucketCount ? ResizeKind.Split : ResizeKind.Merge;
        Old = old;
        New = @new;
        Chains = chains;
        OnFinished = onFinished;
        _spareBytes = spareBytes;

        _chunkShift = Kind == ResizeKind.Merge ? 1 : 0;
        while (_chunkShift < AimedChunkShift && ChunksOf(old.BucketCount) > AimedChunks) _chunkShift++;
        while (ChunksOf(old.BucketCount) > MaxChunks) _chunkShift++;
        _pins = new long[ChunksOf(old.BucketCount)];
    }

    /// <summary>Which of the two it is.</summary>
    public ResizeKind Kind { get; }

    /// <summary>The table that is given up.</summary>
    public IndexTable Old { get; }

    /// <summary>The table of twice or half the size.</summary>
    public IndexTable New { get; }

    /// <summary>Who parts and joins the chains of records.</summary>
    public IChainResizer Chains { get; }

    /// <summary>What to call when the old table has been freed.</summary>
    public Action OnFinished { get; }

    /// <summary>How many chunks the old table has.</summary>
    public int ChunkCount => _pins.Length;

    /// <summary>How many of them have been converted.</summary>
    public long DoneCount => Volatile.Read(ref _doneCount);

    /// <summary>What conversions may still reserve for overflow buckets, in bytes.</summary>
    public long SpareBytesLeft => Math.Max(
        (Kind == ResizeKind.Split ? SpareBytes(Kind, Old) : _spareBytes) - New.ResizePool.Bytes, 0);

    /// <summary>The most that conversions of a table may reserve for overflow buckets, in bytes.</summary>
    /// <remarks>
    /// Each of the two chains that a chain is split into has at most as many entries, and so at most as many overflow
    /// buckets. What a merge needs is counted by a look at each chain, as it is now. The pool's last piece may be an
    /// eighth too large, or a page.
    /// </remarks>
    /// <param name="kind">Which way the table is resized.</param>
    /// <param name="old">The table.</param>
    public static long SpareBytes(ResizeKind kind, IndexTable old)
    {
        long needed = kind == ResizeKind.Split
            ? 2 * old.OverflowBytes
            : IndexFill.OverflowWhenHalved(old) * HashBucket.SizeInBytes;
        return (needed * 9 / 8) + Environment.SystemPageSize;
    }

    /// <summary>The chunk that a bucket of the old table lies in.</summary>
    public int ChunkOf(long bucket) => (int)(bucket >> _chunkShift);

    /// <summary>The first bucket of a chunk.</summary>
    public long FirstBucketOf(int chunk) => (long)chunk << _chunkShift;

    /// <summary>The first bucket after a chunk.</summary>
    public long EndBucketOf(int chunk) => Math.Min((long)(chunk + 1) << _chunkShift, Old.BucketCount);

    /// <summary>Whether a chunk has been converted; what that wrote is visible then.</summary>
    public bool IsDone(int chunk) => Volatile.Read(ref _pins[chunk]) <= Done;

    /// <summary>Whether nobody works on a chunk, nor converts it, nor has converted it.</summary>
    public bool IsFree(int chunk) => Volatile.Read(ref _pins[chunk]) is 0 or Interrupted;

    /// <summary>Holds a chunk in place. False: its conversion has begun.</summary>
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

    /// <summary>Lets a chunk go.</summary>
    public void Unpin(int chunk) => Interlocked.Decrement(ref _pins[chunk]);

    /// <summary>Takes a chunk for conversion: compare-and-swap of its pins from 0 to below all counts.</summary>
    public bool TryClaim(int chunk) => Interlocked.CompareExchange(ref _pins[chunk], Converting, 0) == 0
        || Interlocked.CompareExchange(ref _pins[chunk], Converting, Interrupted) == Interrupted;

    /// <summary>The seeded bug SplitIgnoresPins: takes a chunk that others work on.</summary>
    public bool TryClaimIgnoringPins(int chunk)
    {
        long seen = Volatile.Read(ref _pins[chunk]);
        return seen >= 0 && Interlocked.CompareExchange(ref _pins[chunk], Converting, seen) == seen;
    }

    /// <summary>
    /// Gives a claimed chunk back unconverted, or converted in part: others may claim it, nobody pin it.
    /// </summary>
    public void GiveUp(int chunk) => Volatile.Write(ref _pins[chunk], Interrupted);

    /// <summary>The seeded bug InterruptedIsFree: as if nothing of the chunk had been converted.</summary>
    public void GiveUpAsFree(int chunk) => Volatile.Write(ref _pins[chunk], 0);

    /// <summary>Publishes that a claimed chunk has been converted.</summary>
    /// <returns>Whether it was the last one: true once.</returns>
    public bool MarkDone(int chunk)
    {
        Volatile.Write(ref _pins[chunk], Done);
        return Interlocked.Increment(ref _doneCount) == ChunkCount;
    }

    /// <summary>Whether a chunk seems free.</summary>
    public bool HasFreeChunk => _pins.AsSpan().IndexOfAny(0, Interrupted) >= 0;

    /// <summary>A chunk that seems free, each helper another one; -1 when there is none.</summary>
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
