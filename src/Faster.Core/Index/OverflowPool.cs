using Faster.Memory;

namespace Faster.Index;

/// <summary>The source of a table's overflow buckets: native memory that is provided bucket by bucket.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A bucket is returned zeroed, aligned to its size, and to one caller.</item>
/// <item>Memory is freed with the table. A bucket that no chain needs any more is kept for the next caller
/// (<see cref="Free"/>), as is one that lost the race to be linked, and so was never seen by another thread
/// (<see cref="GiveBack"/>).</item>
/// </list>
/// <para>Thread-safe and latch-free, except for <see cref="Dispose"/>. Where buckets are freed, they are taken under an
/// epoch.</para>
/// </remarks>
internal sealed unsafe class OverflowPool : IDisposable
{
    // A piece is an eighth of what is reserved: little memory is idle, and the number of pieces stays small.
    private const int GrowthShift = 3;

    /// <summary>The minimum number of bytes that is reserved at once.</summary>
    public static readonly long MinBytes = Math.Max(4 << 10, Environment.SystemPageSize);

    private Piece? _piece;
    private nint _spare;
    private nint _freed; // a list: each one's first slot points to the next
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
        HashBucket* freed = TryTakeFreed();
        if (freed is not null) return freed;
        Piece? piece = Volatile.Read(ref _piece);
        return piece is null ? null : piece.Take();
    }

    /// <summary>Reserves memory for more buckets, unless there are some again.</summary>
    /// <param name="most">The maximum number of bytes to reserve.</param>
    /// <returns>False when there is none, and that is less than <see cref="MinBytes"/>.</returns>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public bool TryExtend(long most)
    {
        if (Volatile.Read(ref _freed) != 0) return true;
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

    /// <summary>Takes back a bucket that was linked, when no operation can see it any more.</summary>
    public void Free(HashBucket* bucket)
    {
        *bucket = default;
        nint seen = Volatile.Read(ref _freed);
        for (nint was; ; seen = was)
        {
            bucket->Entries[0] = (ulong)seen;
            was = Interlocked.CompareExchange(ref _freed, (nint)bucket, seen);
            if (was == seen) return;
        }
    }

    // A bucket that was the list's head when this began may be another operation's by now, but not the head again:
    // that takes an epoch. So what is read of it then counts for nothing.
    private HashBucket* TryTakeFreed()
    {
        nint seen = Volatile.Read(ref _freed);
        while (seen != 0)
        {
            var bucket = (HashBucket*)seen;
            nint was = Interlocked.CompareExchange(
                ref _freed, (nint)Volatile.Read(ref bucket->Entries[0]), seen);
            if (was == seen)
            {
                bucket->Entries[0] = 0;
                return bucket;
            }

            seen = was;
        }

        return null;
    }

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
