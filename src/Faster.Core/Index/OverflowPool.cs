using Faster.Memory;

namespace Faster.Index;

/// <summary>Where a table's overflow buckets come from: native memory handed out bucket by bucket.</summary>
/// <remarks>
/// <para>Buckets are never given back one by one; all go with the table. The one exception: a bucket that lost the race
/// to be linked, and so was never seen by anyone, is kept aside for the next taker.</para>
/// <para>Invariant: a bucket is handed out zeroed, aligned to its size, and to one taker.</para>
/// <para>Thread-safe and latch-free, but for <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class OverflowPool : IDisposable
{
    // A piece is an eighth of what there is: little lies idle, and pieces stay few.
    private const int GrowthShift = 3;

    /// <summary>The least number of bytes that is reserved at once.</summary>
    public static readonly long LeastBytes = Math.Max(4 << 10, Environment.SystemPageSize);

    private Piece? _piece;
    private nint _spare;
    private long _bytes;

    /// <summary>The memory that the pool has reserved, in bytes.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>A bucket of zeros, for whoever can't do without.</summary>
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

    /// <summary>A bucket of zeros; null when all that is reserved has been handed out.</summary>
    public HashBucket* TryTake()
    {
        nint spare = Volatile.Read(ref _spare) == 0 ? 0 : Interlocked.Exchange(ref _spare, 0);
        if (spare != 0) return (HashBucket*)spare;
        Piece? piece = Volatile.Read(ref _piece);
        return piece is null ? null : piece.Take();
    }

    /// <summary>Reserves memory for more buckets, unless another thread just has.</summary>
    /// <param name="most">The most bytes to reserve.</param>
    /// <returns>False when that is too little.</returns>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public bool TryExtend(long most)
    {
        if (most < LeastBytes) return false;
        Piece? full = Volatile.Read(ref _piece);
        if (full is not null && full.HasRoom) return true;
        long wanted = Math.Clamp(Bytes >> GrowthShift, LeastBytes, NativeBlock.HugePage);
        var piece = new Piece(new NativeBlock(Math.Min(wanted, most) / LeastBytes * LeastBytes), full);
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

        public bool HasRoom => Volatile.Read(ref _taken) < _capacity;

        public HashBucket* Take()
        {
            if (!HasRoom) return null;
            long index = Interlocked.Increment(ref _taken) - 1;
            return index < _capacity ? (HashBucket*)Block.Pointer + index : null;
        }
    }
}
