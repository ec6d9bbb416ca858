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
    private const long LeastBytes = 4 << 10;

    private Piece? _piece;
    private nint _spare;
    private long _bytes;

    /// <summary>The memory that the pool has reserved, in bytes.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>A bucket of zeros.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public HashBucket* Take()
    {
        nint spare = Volatile.Read(ref _spare) == 0 ? 0 : Interlocked.Exchange(ref _spare, 0);
        if (spare != 0) return (HashBucket*)spare;
        while (true)
        {
            Piece? piece = Volatile.Read(ref _piece);
            if (piece is not null)
            {
                HashBucket* bucket = piece.Take();
                if (bucket is not null) return bucket;
            }

            Extend(piece);
        }
    }

    /// <summary>Takes back a bucket that was not linked and is still zero.</summary>
    public void GiveBack(HashBucket* bucket) => Interlocked.CompareExchange(ref _spare, (nint)bucket, 0);

    /// <summary>Frees all buckets.</summary>
    public void Dispose()
    {
        for (Piece? piece = _piece; piece is not null; piece = piece.Previous) piece.Block.Dispose();
        _piece = null;
    }

    private void Extend(Piece? full)
    {
        long bytes = full is null ? LeastBytes : Math.Min(full.Block.Bytes * 2, NativeBlock.HugePage);
        var piece = new Piece(new NativeBlock(bytes), full);
        bool first = Interlocked.CompareExchange(ref _piece, piece, full) == full;
        if (first) Interlocked.Add(ref _bytes, piece.Block.Bytes);
        else piece.Block.Dispose();
    }

    private sealed class Piece(NativeBlock block, Piece? previous)
    {
        private readonly long _capacity = block.Bytes / HashBucket.SizeInBytes;
        private long _taken;

        public NativeBlock Block { get; } = block;

        public Piece? Previous { get; } = previous;

        public HashBucket* Take()
        {
            if (Volatile.Read(ref _taken) >= _capacity) return null;
            long index = Interlocked.Increment(ref _taken) - 1;
            return index < _capacity ? (HashBucket*)Block.Pointer + index : null;
        }
    }
}
