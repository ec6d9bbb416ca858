using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Records in memory only (paper 000 §4): an address is a pointer, every record is updated in place, and a deleted one
/// is spliced out and its memory used again once the epoch is safe.
/// </summary>
/// <remarks>
/// Thread-safe. Memory comes from the session's free lists, then from those that all sessions share, then from the
/// session's piece of the arena; once the arena is used up, from any larger block. Blocks are divided and not joined
/// again. A session keeps a few free blocks to itself; while memory is short, none.
/// </remarks>
internal sealed unsafe class InMemoryAllocator<TProbe> : RecordAllocator<TProbe>
    where TProbe : struct, IProbe
{
    private const int Piece = 64 << 10, LeastKept = 4 << 10;
    private const int PartOfKept = 64;     // of the arena, that one session's lists may keep
    private const int FreesWhileShort = 4096;

    private readonly EpochTable<TProbe> _epochs;
    private readonly NativeBlock _arena;
    private readonly HashSeed _seed;
    private readonly SharedFreeLists<TProbe> _shared = new();
    private readonly int _batch;
    private readonly long _mostKept;
    private long _limit;
    private long _next;  // offset of the first byte that no session has taken
    private int _short;  // how many of the next frees are shared at once

    /// <summary>Makes an empty arena.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="schema">The records.</param>
    /// <param name="seed">The key of the hash.</param>
    /// <param name="reserve">The most bytes that records may ever take.</param>
    /// <param name="limit">The most bytes that they may take now.</param>
    /// <param name="batch">
    /// How many free blocks a session passes on at once. Each batch in limbo costs a bump of the epoch, that is a
    /// barrier for the whole process.
    /// </param>
    public InMemoryAllocator(
        EpochTable<TProbe> epochs, RecordSchema schema, HashSeed seed, long reserve, long limit, int batch = 128)
    {
        _batch = batch;
        _mostKept = Math.Clamp(reserve / PartOfKept, LeastKept, Piece);
        _epochs = epochs;
        Layout = new RecordLayout(schema);
        _seed = seed;
        _arena = new NativeBlock(reserve);
        _limit = limit;
        Markers.Base = null;
        Markers.Mask = (long)RecordHeader.AddressMask;
        // 0 ends a chain; everything else is in memory and mutable.
        Markers.Begin = Markers.Head = Markers.SafeReadOnly = Markers.ReadOnly = 1;
    }

    /// <inheritdoc/>
    public override long TailAddress => Volatile.Read(ref _next);

    /// <inheritdoc/>
    public override long BytesInMemory => Volatile.Read(ref _next);

    /// <inheritdoc/>
    public override int LargestRecord => SizeClasses.Most;

    /// <inheritdoc/>
    public override RecordLayout Layout { get; }

    /// <inheritdoc/>
    public override bool Splices => true;

    /// <inheritdoc/>
    public override bool IsWithinMemory => Volatile.Read(ref _next) <= Volatile.Read(ref _limit);

    /// <inheritdoc/>
    public override bool TryAllocate(FreeLists? lists, int size, out long address)
    {
        ArgumentNullException.ThrowIfNull(lists);
        if (size > LargestRecord) throw TooLarge(size, LargestRecord);
        int sizeClass = SizeClasses.Holding(size), room = SizeClasses.BytesOf(sizeClass);
        if (TryReuse(lists, sizeClass, out address) || TryCut(lists, sizeClass, room, out address))
        {
            NativeMemory.Clear((byte*)address, (nuint)room);
            return true;
        }

        // From now on sessions share what they free. What is in limbo waits for its epoch: leave, let it become safe,
        // come again.
        bool wasShort = Interlocked.Exchange(ref _short, FreesWhileShort) > 0;
        if (wasShort && lists.InLimbo == 0 && _shared.InLimbo == 0) throw Full();
        _epochs.Bump(static () => { });
        return false;
    }

    /// <inheritdoc/>
    public override void Free(FreeLists? lists, long address, int size, bool everLinked)
    {
        ArgumentNullException.ThrowIfNull(lists);
        int sizeClass = SizeClasses.Holding(size);
        if (!everLinked || TProbe.Has(SeededBug.FreeWithoutEpoch))
        {
            Keep(lists, address, sizeClass);
            return;
        }

        lists.AddToLimbo(new FreedBlock(_epochs.Current, address, sizeClass));
        bool isShort = IsShort();
        if (!isShort && lists.InLimbo < _batch && lists.LimboBytes <= _mostKept) return;
        _shared.PutInLimbo(lists.TakeLimbo());
        // While memory is short whoever lacks some bumps.
        if (!isShort) _epochs.Bump(static () => { });
    }

    /// <summary>A session has ended: what it kept is for others to use.</summary>
    public void Adopt(FreeLists lists)
    {
        _shared.PutInLimbo(lists.TakeLimbo());
        DropPiece(lists);
        for (int c = 0; c < SizeClasses.Count; c++)
            if (lists.Count(c) != 0) _shared.Put(c, lists.TakeAll(c));
    }

    /// <inheritdoc/>
    public override void WaitForRoom()
    {
        _epochs.Bump(static () => { });
        if (!TProbe.Wait(null)) Thread.Yield();
    }

    /// <inheritdoc/>
    public override void SetMemory(long bytes) => Volatile.Write(ref _limit, Math.Min(bytes, _arena.Bytes));

    /// <inheritdoc/>
    public override void Split(long head, in SplitRule rule, out long left, out long right)
    {
        // Unlike the log's, these chains are taken apart: a record that two entries led to could not be spliced out.
        // The splitter holds the chunk alone, so plain writes do.
        left = right = 0;
        byte* leftEnd = null, rightEnd = null;
        for (long address = head; address != 0;)
        {
            byte* record = (byte*)address;
            ulong header = RecordHeader.Read(record);
            bool isRight = rule.IsRight(Layout.Hash(record, _seed));
            if (!(isRight && TProbe.Has(SeededBug.SplitDropsSibling)))
                Append(ref isRight ? ref right : ref left, ref isRight ? ref rightEnd : ref leftEnd, address);
            address = RecordHeader.Previous(header);
        }

        if (leftEnd != null) End(leftEnd);
        if (rightEnd != null) End(rightEnd);
    }

    /// <inheritdoc/>
    public override bool TryMerge(long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        head = left == 0 ? right : left;
        if (left == 0 || right == 0) return true;

        // Nobody is in either chain, as when one is split.
        byte* end = (byte*)left;
        for (long next; (next = RecordHeader.Previous(RecordHeader.Read(end))) != 0;) end = (byte*)next;
        RecordHeader.Write(end, RecordHeader.WithPrevious(RecordHeader.Read(end), right));
        return true;
    }

    /// <inheritdoc/>
    public override void Dispose() => _arena.Dispose();

    private static void Append(ref long head, ref byte* end, long address)
    {
        if (head == 0) head = address;
        else RecordHeader.Write(end, RecordHeader.WithPrevious(RecordHeader.Read(end), address));
        end = (byte*)address;
    }

    private static void End(byte* record) =>
        RecordHeader.Write(record, RecordHeader.WithPrevious(RecordHeader.Read(record), 0));

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

    // A free block that the session keeps, or shares with all others of its class if there are many.
    private void Keep(FreeLists lists, long address, int sizeClass)
    {
        lists.Add(address, sizeClass);
        if (lists.Count(sizeClass) < _batch && lists.FreeBytes <= _mostKept && Volatile.Read(ref _short) <= 0) return;
        _shared.Put(sizeClass, lists.TakeAll(sizeClass));
    }

    private bool IsShort() => Volatile.Read(ref _short) > 0 && Interlocked.Decrement(ref _short) >= 0;

    // Memory that was not in use in this size.
    private bool TryCut(FreeLists lists, int sizeClass, int room, out long address)
    {
        if (lists.PieceEnd - lists.PieceNext < room)
        {
            // A large record takes no piece: what is left of the session's own is good for smaller ones.
            if (room > Piece / 4 && TryTakeArena(room, room, out address, out _)) return true;
            if (!TryTakePiece(lists, sizeClass, room))
            {
                address = 0;
                return false;
            }
        }

        address = lists.PieceNext;
        lists.PieceNext += room;
        return true;
    }

    private bool TryTakePiece(FreeLists lists, int sizeClass, int room)
    {
        if (!TryTakeArena(Math.Max(room, Piece), room, out long next, out long end))
        {
            if (!_shared.TryTakeLarger(ref sizeClass, out (long First, int Count) blocks)) return false;
            // One of them, and the others go back.
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
            if (offset + bytes > Volatile.Read(ref _limit)) bytes = least; // near the end take no more than needed
            if (offset + bytes > Volatile.Read(ref _limit)) return false;
        }
        while (Interlocked.CompareExchange(ref _next, offset + bytes, offset) != offset);

        address = (long)_arena.Pointer + offset;
        end = address + bytes;
        return true;
    }

    // What is left of the session's piece becomes free blocks, the largest first.
    private void DropPiece(FreeLists lists)
    {
        while (lists.PieceEnd - lists.PieceNext >= SizeClasses.Least)
        {
            int sizeClass = SizeClasses.Within(lists.PieceEnd - lists.PieceNext);
            *(long*)lists.PieceNext = 0;
            _shared.Put(sizeClass, (lists.PieceNext, 1));
            lists.PieceNext += SizeClasses.BytesOf(sizeClass);
        }
    }

    private LimitExceededException Full() => new(
        $"The records have used up the store's memory of {new ByteSize(Volatile.Read(ref _limit))}. "
        + "Raise StoreOptions.MemoryBudget, delete keys, or choose the hybrid log, which spills to disk.");
}
