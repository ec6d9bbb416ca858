using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Log.InMemory;

/// <summary>
/// Native memory from which sessions take blocks by size class, and to which they return blocks that other sessions may
/// still be reading.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A block lies in the arena, at a multiple of 8. Blocks are divided and never joined; no two overlap.</item>
/// <item>A block that was linked is reused only when the epoch in which it was unlinked is safe.</item>
/// <item>The bytes taken from the arena never fall, and never exceed the limit in effect when they were taken.</item>
/// </list>
/// <para>Thread-safe. Memory comes from the session's free lists, then from the shared lists, then from the session's
/// piece of the arena; once the arena is used up, from any larger block. A session keeps a few free blocks to itself;
/// while memory is short, none.</para>
/// <para><b>Limbo.</b> A session that is preempted inside its epoch keeps in limbo all that the others free meanwhile.
/// If they took new memory instead, the arena would keep the size of the longest preemption. So while more than a part
/// of it is in limbo, whoever needs a new piece waits outside its epoch, <see cref="MaxWait"/> at most for each piece:
/// a session that stays inside its epoch slows the others down, and stops none.</para>
/// </remarks>
internal sealed unsafe class RecordArena<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int Piece = 64 << 10, MinPiece = 1 << 10, MinKept = 4 << 10;
    private const int PartOfKept = 64;     // divisor of the arena: the share that one session's lists may keep
    private const int FreesWhileShort = 4096;
    private const int PartInLimbo = 16;    // divisor of the bytes taken: the share in limbo that makes sessions wait
    private const int MinLimbo = 512 << 10;
    private const int MaxWait = 100;        // milliseconds

    private readonly EpochTable<TProbe> _epochs;
    private readonly NativeBlock _arena;
    private readonly SharedFreeLists<TProbe> _shared = new();
    private readonly Func<ByteSize, LimitExceededException> _full;
    private readonly int _batch;
    private readonly long _mostKept;
    private long _limit;
    private long _next;  // offset of the first byte that no session has allocated
    private int _short;  // how many of the next frees are shared immediately

    /// <summary>Creates an empty arena.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="reserve">The maximum number of bytes that records may ever take.</param>
    /// <param name="limit">The maximum number of bytes that they may take now.</param>
    /// <param name="batch">
    /// The number of free blocks that a session passes on at once. Each batch in limbo costs a bump of the epoch, which
    /// is a barrier for the whole process.
    /// </param>
    /// <param name="full">Makes the exception for a limit that is reached.</param>
    public RecordArena(
        EpochTable<TProbe> epochs, long reserve, long limit, int batch, Func<ByteSize, LimitExceededException> full)
    {
        _batch = batch;
        _mostKept = Math.Clamp(reserve / PartOfKept, MinKept, Piece);
        _epochs = epochs;
        _arena = new NativeBlock(reserve);
        _limit = limit;
        _full = full;
    }

    /// <summary>The bytes that blocks have taken so far.</summary>
    public long BytesTaken => Volatile.Read(ref _next);

    /// <summary>The maximum number of bytes that blocks may take now.</summary>
    public long Limit => Volatile.Read(ref _limit);

    /// <summary>Takes a zeroed block.</summary>
    /// <param name="lists">The free lists of the session.</param>
    /// <param name="size">The size in bytes, a multiple of 8 up to <see cref="SizeClasses.Most"/>.</param>
    /// <param name="address">The block's address.</param>
    /// <returns>
    /// False if blocks wait for their epoch, and memory is short or they are many: the caller leaves its own epoch,
    /// waits (<see cref="WaitForSpace"/>), and tries again.
    /// </returns>
    /// <exception cref="LimitExceededException">The limit is reached, and nothing waits for an epoch.</exception>
    public bool TryAllocate(FreeLists lists, int size, out long address)
    {
        int sizeClass = SizeClasses.Holding(size), blockSize = SizeClasses.BytesOf(sizeClass);
        bool isReused = TryReuse(lists, sizeClass, out address);
        if (!isReused && MustWait(lists, blockSize)) return false;
        if (isReused || TryCut(lists, sizeClass, blockSize, out address))
        {
            Invariant.DebugCheck(
                IsInArena(address, blockSize), $"a block of {blockSize} bytes at {address:x} lies in the arena");
            NativeMemory.Clear((byte*)address, (nuint)blockSize);
            return true;
        }

        // From now on sessions share what they free. Blocks in limbo wait for their epoch: the caller leaves its epoch,
        // so that theirs can become safe, and retries.
        bool wasShort = Interlocked.Exchange(ref _short, FreesWhileShort) > 0;
        if (wasShort && lists.InLimbo == 0 && _shared.InLimbo == 0) throw _full(new ByteSize(Limit));
        _epochs.Bump(static () => { });
        return false;
    }

    /// <summary>Returns a block.</summary>
    /// <param name="lists">The free lists of the session.</param>
    /// <param name="address">The block's address.</param>
    /// <param name="size">The size with which it was taken.</param>
    /// <param name="everLinked">Whether another session may be reading it.</param>
    public void Free(FreeLists lists, long address, int size, bool everLinked)
    {
        int sizeClass = SizeClasses.Holding(size);
        if (!everLinked || TProbe.Has(SeededBug.FreeWithoutEpoch))
        {
            Keep(lists, address, sizeClass);
            return;
        }

        Invariant.DebugCheck(
            IsInArena(address, SizeClasses.BytesOf(sizeClass)), $"a freed block at {address:x} lies in the arena");
        lists.AddToLimbo(new FreedBlock(_epochs.Current, address, sizeClass));
        bool isShort = IsShort();
        if (!isShort && lists.InLimbo < _batch && lists.LimboBytes <= _mostKept) return;
        _shared.PutInLimbo(lists.TakeLimbo());
        // While memory is short, the session that lacks memory bumps.
        if (!isShort) _epochs.Bump(static () => { });
    }

    /// <summary>Takes over the free memory of a session that has ended, for the others.</summary>
    public void Adopt(FreeLists lists)
    {
        _shared.PutInLimbo(lists.TakeLimbo());
        DropPiece(lists);
        for (int c = 0; c < SizeClasses.Count; c++)
            if (lists.Count(c) != 0) _shared.Put(c, lists.TakeAll(c));
    }

    /// <summary>Waits a moment, outside every epoch, for blocks in limbo.</summary>
    public void WaitForSpace()
    {
        _epochs.Bump(static () => { });
        if (!TProbe.Wait(null)) Thread.Yield();
    }

    /// <summary>Changes the limit; bytes taken above a lower limit stay taken.</summary>
    public void SetLimit(long bytes) => Volatile.Write(ref _limit, Math.Min(bytes, _arena.Bytes));

    /// <summary>Touches the first bytes of the arena, at most <see cref="Limit"/>.</summary>
    public void Populate(long bytes) =>
        _arena.Populate(0, Math.Min(bytes, Limit) / Environment.SystemPageSize * Environment.SystemPageSize);

    /// <inheritdoc/>
    public void Dispose() => _arena.Dispose();

    private bool IsInArena(long address, int bytes) => (address & 7) == 0
        && address >= (long)_arena.Pointer && address + bytes <= (long)_arena.Pointer + _arena.Bytes;

    private bool TryReuse(FreeLists lists, int sizeClass, out long address)
    {
        long safe = _epochs.Safe;
        while (lists.TryTakeFromLimbo(safe, out FreedBlock own)) Keep(lists, own.Address, own.Class);
        if (lists.TryTake(sizeClass, out address)) return true;
        for (;;)
        {
            if (_shared.TryTake(sizeClass, out (long First, int Count) blocks))
            {
                lists.Put(sizeClass, blocks);
                return lists.TryTake(sizeClass, out address);
            }

            if (!_shared.TryTakeFromLimbo(safe, out FreedBlock[]? freed)) return false;
            foreach (FreedBlock block in freed) Keep(lists, block.Address, block.Class);
            if (lists.TryTake(sizeClass, out address)) return true;
        }
    }

    // Keeps a free block in the session, or shares all of its class if there are many.
    private void Keep(FreeLists lists, long address, int sizeClass)
    {
        lists.Add(address, sizeClass);
        if (lists.Count(sizeClass) < _batch && lists.FreeBytes <= _mostKept && Volatile.Read(ref _short) <= 0) return;
        _shared.Put(sizeClass, lists.TakeAll(sizeClass));
    }

    // Whether it is too early for a new piece, because much will soon be reusable.
    private bool MustWait(FreeLists lists, int blockSize)
    {
        if (lists.PieceEnd - lists.PieceNext >= blockSize) return false;
        bool isMuch = _shared.LimboBytes > Math.Max(MinLimbo, BytesTaken / PartInLimbo);
        if (isMuch && lists.WaitsSince == 0) lists.WaitsSince = Environment.TickCount64;
        if (isMuch && Environment.TickCount64 - lists.WaitsSince <= MaxWait) return true;
        lists.WaitsSince = 0;
        return false;
    }

    private bool IsShort() => Volatile.Read(ref _short) > 0 && Interlocked.Decrement(ref _short) >= 0;

    // Cuts a block from memory that has not been used in this size.
    private bool TryCut(FreeLists lists, int sizeClass, int blockSize, out long address)
    {
        if (lists.PieceEnd - lists.PieceNext < blockSize)
        {
            // A large record takes no piece: the rest of the session's own piece is useful for smaller records.
            if (blockSize > Piece / 4 && TryTakeArena(blockSize, blockSize, out address, out _)) return true;
            if (!TryTakePiece(lists, sizeClass, blockSize))
            {
                address = 0;
                return false;
            }
        }

        address = lists.PieceNext;
        lists.PieceNext += blockSize;
        return true;
    }

    private bool TryTakePiece(FreeLists lists, int sizeClass, int blockSize)
    {
        if (_shared.TryTakePiece(blockSize, out (long Next, long End) rest))
        {
            DropPiece(lists);
            (lists.PieceNext, lists.PieceEnd) = rest;
            return true;
        }

        if (!TryTakeArena(Math.Max(blockSize, Piece), blockSize, out long next, out long end))
        {
            if (!_shared.TryTakeLarger(ref sizeClass, out (long First, int Count) blocks)) return false;
            // Uses the first block; the others go back.
            next = blocks.First;
            end = next + SizeClasses.BytesOf(sizeClass);
            if (blocks.Count > 1) _shared.Put(sizeClass, (*(long*)next, blocks.Count - 1));
        }

        DropPiece(lists);
        (lists.PieceNext, lists.PieceEnd) = (next, end);
        return true;
    }

    private bool TryTakeArena(int wanted, int least, out long address, out long end)
    {
        int bytes = wanted;
        long offset;
        do
        {
            offset = Volatile.Read(ref _next);
            (address, end) = (0, 0);
            if (offset + bytes > Limit) bytes = least; // near the end, allocate no more than needed
            if (offset + bytes > Limit) return false;
        }
        while (Interlocked.CompareExchange(ref _next, offset + bytes, offset) != offset);

        address = (long)_arena.Pointer + offset;
        end = address + bytes;
        Invariant.Check(
            offset + bytes <= _arena.Bytes, $"{bytes} bytes from {offset} on lie in the arena of {_arena.Bytes}");
        return true;
    }

    // Leaves the rest of the session's piece to others: whole, or as free blocks if it is small, the largest first.
    private void DropPiece(FreeLists lists)
    {
        if (lists.PieceEnd - lists.PieceNext >= MinPiece)
        {
            _shared.PutPiece(lists.PieceNext, lists.PieceEnd);
            lists.PieceNext = lists.PieceEnd;
        }

        while (lists.PieceEnd - lists.PieceNext >= SizeClasses.Least)
        {
            int sizeClass = SizeClasses.Within(lists.PieceEnd - lists.PieceNext);
            *(long*)lists.PieceNext = 0;
            _shared.Put(sizeClass, (lists.PieceNext, 1));
            lists.PieceNext += SizeClasses.BytesOf(sizeClass);
        }
    }
}
