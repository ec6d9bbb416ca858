namespace Faster.Index;

/// <summary>
/// One doubling of the index: the two tables, and the chunks of the old one with their pins (App. B).
/// </summary>
/// <remarks>
/// <para>A chunk's word counts the operations that work on it while it is 0 or above; below 0 the chunk is being split,
/// or has been. It goes below 0 only from 0, once, but for a split that throws, which puts 0 back.</para>
/// <para>Chunks hold 512 buckets, so that an operation that has to split one is not held up long; fewer in a small
/// index, so that operations can work beside each other, and more where there would be over 65,536 chunks.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class Growth
{
    private const int AimedChunkShift = 9;
    private const int AimedChunks = 64;
    private const int MaxChunks = 1 << 16;
    private const long Splitting = -(1L << 32);
    private const long Split = long.MinValue / 2;

    private readonly long[] _pins;
    private readonly int _chunkShift;
    private long _splitCount;
    private int _cursor;

    /// <summary>A growth that has not begun.</summary>
    public Growth(IndexTable old, IndexTable @new, IChainSplitter splitter, Action onFinished)
    {
        Old = old;
        New = @new;
        Splitter = splitter;
        OnFinished = onFinished;

        while (_chunkShift < AimedChunkShift && ChunksOf(old.BucketCount) > AimedChunks) _chunkShift++;
        while (ChunksOf(old.BucketCount) > MaxChunks) _chunkShift++;
        _pins = new long[ChunksOf(old.BucketCount)];
    }

    /// <summary>The table that is given up.</summary>
    public IndexTable Old { get; }

    /// <summary>The table of twice the size.</summary>
    public IndexTable New { get; }

    /// <summary>Who parts the chains of records.</summary>
    public IChainSplitter Splitter { get; }

    /// <summary>What to call when the old table has been freed.</summary>
    public Action OnFinished { get; }

    /// <summary>How many chunks the old table has.</summary>
    public int ChunkCount => _pins.Length;

    /// <summary>How many of them have been split.</summary>
    public long SplitCount => Volatile.Read(ref _splitCount);

    /// <summary>What splits may still reserve for overflow buckets, in bytes.</summary>
    public long SplitBytesLeft => Math.Max(SplitBytes(Old) - New.SplitPool.Bytes, 0);

    /// <summary>The most that splits of a table may reserve for overflow buckets, in bytes.</summary>
    /// <remarks>
    /// Each of the two chains that a chain becomes has at most as many entries, and so at most as many overflow
    /// buckets. The pool's last piece may be an eighth too large, or a page.
    /// </remarks>
    public static long SplitBytes(IndexTable old) => (old.OverflowBytes * 9 / 4) + Environment.SystemPageSize;

    /// <summary>The chunk that a bucket of the old table lies in.</summary>
    public int ChunkOf(long bucket) => (int)(bucket >> _chunkShift);

    /// <summary>The first bucket of a chunk.</summary>
    public long FirstBucketOf(int chunk) => (long)chunk << _chunkShift;

    /// <summary>The first bucket after a chunk.</summary>
    public long EndBucketOf(int chunk) => Math.Min((long)(chunk + 1) << _chunkShift, Old.BucketCount);

    /// <summary>Whether a chunk has been split; what its split wrote is visible then.</summary>
    public bool IsSplit(int chunk) => Volatile.Read(ref _pins[chunk]) <= Split;

    /// <summary>Whether nobody works on a chunk, nor splits it, nor has split it.</summary>
    public bool IsFree(int chunk) => Volatile.Read(ref _pins[chunk]) == 0;

    /// <summary>Holds a chunk in place. False: its split has begun.</summary>
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

    /// <summary>Takes a chunk for splitting: compare-and-swap of its pins from 0 to below all counts.</summary>
    public bool TryClaim(int chunk) => Interlocked.CompareExchange(ref _pins[chunk], Splitting, 0) == 0;

    /// <summary>The seeded bug SplitIgnoresPins: takes a chunk that others work on.</summary>
    public bool TryClaimIgnoringPins(int chunk)
    {
        long seen = Volatile.Read(ref _pins[chunk]);
        return seen >= 0 && Interlocked.CompareExchange(ref _pins[chunk], Splitting, seen) == seen;
    }

    /// <summary>Gives a claimed chunk back unsplit.</summary>
    public void GiveUp(int chunk) => Volatile.Write(ref _pins[chunk], 0);

    /// <summary>Publishes that a claimed chunk has been split.</summary>
    /// <returns>Whether it was the last one: true once.</returns>
    public bool MarkSplit(int chunk)
    {
        Volatile.Write(ref _pins[chunk], Split);
        return Interlocked.Increment(ref _splitCount) == ChunkCount;
    }

    /// <summary>Whether a chunk seems free.</summary>
    public bool HasFreeChunk => _pins.AsSpan().Contains(0);

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
