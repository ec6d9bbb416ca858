using Faster.Memory;

namespace Faster.Index;

/// <summary>The source of a table's overflow buckets: native memory that is provided bucket by bucket.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A bucket is returned zeroed, aligned to its size, and to one caller.</item>
/// <item>Buckets are never freed one by one; all are freed with the table. The one exception: a bucket that lost the
/// race to be linked, and so was never seen by another thread, is kept for the next caller.</item>
/// </list>
/// <para>Thread-safe and latch-free, except for <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class OverflowPool : IDisposable
{
    // A piece is an eighth of what is reserved: little memory is idle, and the number of pieces stays small.
    private const int GrowthShift = 3;

    /// <summary>The minimum number of bytes that is reserved at once.</summary>
    public static readonly long MinBytes = Math.Max(4 << 10, Environment.SystemPageSize);

    private Piece? _piece;
    private nint _spare;
    private long _bytes;

    /// <summary>The memory that the pool has reserved in bytes.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>A zeroed bucket, for callers that require one: reserves memory if needed.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public HashBucket* Take()
    {
        while (true)
        {
            HashBucket* bucket = TryTake();
            if (bucket is not null) return bucket;
            TryExtend(NativeBlock.HugePage);
        }
    }

    /// <summary>A zeroed bucket; null when all reserved ones are in use.</summary>
    public HashBucket* TryTake()
    {
        nint spare = Volatile.Read(ref _spare) == 0 ? 0 : Interlocked.Exchange(ref _spare, 0);
        if (spare != 0) return (HashBucket*)spare;
        Piece? piece = Volatile.Read(ref _piece);
        return piece is null ? null : piece.Take();
    }

    /// <summary>Reserves memory for more buckets, unless another thread just has.</summary>
    /// <param name="most">The maximum number of bytes to reserve.</param>
    /// <returns>False when that is less than <see cref="MinBytes"/>.</returns>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public bool TryExtend(long most)
    {
        if (most < MinBytes) return false;
        Piece? full = Volatile.Read(ref _piece);
        if (full is not null && full.HasSpace) return true;
        long wanted = Math.Clamp(Bytes >> GrowthShift, MinBytes, NativeBlock.HugePage);
        var piece = new Piece(new NativeBlock(Math.Min(wanted, most) / MinBytes * MinBytes), full);
        bool first = Interlocked.CompareExchange(ref _piece, piece, full) == full;
        if (first) Interlocked.Add(ref _bytes, piece.Block.Bytes);
        else piece.Block.Dispose();
        return true;
    }

    /// <summary>Takes back a bucket that was not linked and is still zero.</summary>
    public void GiveBack(HashBucket* bucket) => Interlocked.CompareExchange(ref _spare, (nint)bucket, 0);

    /// <summary>Frees all buckets.</summary>
    public void Dispose()
    {
        for (Piece? piece = _piece; piece is not null; piece = piece.Previous) piece.Block.Dispose();
        _piece = null;
    }

    private sealed class Piece(NativeBlock block, Piece? previous)
    {
        private readonly long _capacity = block.Bytes / HashBucket.SizeInBytes;
        private long _taken;

        public NativeBlock Block { get; } = block;

        public Piece? Previous { get; } = previous;

        public bool HasSpace => Volatile.Read(ref _taken) < _capacity;

        public HashBucket* Take()
        {
            if (!HasSpace) return null;
            long index = Interlocked.Increment(ref _taken) - 1;
            return index < _capacity ? (HashBucket*)Block.Pointer + index : null;
        }
    }
}
