using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Records in memory only (paper 000 §4): an address is a pointer, every record is updated in place, and a deleted one
/// is spliced out and its room used again once the epoch is safe.
/// </summary>
/// <remarks>
/// Thread-safe. Room comes from the session's free lists, then from the session's piece of the arena, then from the
/// lists of ended sessions. Limits: the arena is as large as the memory given; a record freed in one session is used
/// again by that session, or by any once it has ended.
/// </remarks>
internal sealed unsafe class InMemoryAllocator<TProbe> : RecordAllocator<TProbe>
    where TProbe : struct, IProbe
{
    private const int ExactClassLimit = 1024; // up to here a class for each multiple of 8; above, for each power of two
    private const int Piece = 64 << 10;

    private readonly EpochTable<TProbe> _epochs;
    private readonly NativeBlock _arena;
    private readonly HashSeed _seed;
    private readonly FreeLists _orphaned = new();
    private readonly Stack<(long Next, long End)> _pieces = new(); // what ended sessions left of their pieces
    private long _limit;
    private long _next; // offset of the first byte that no session has taken
    private long _frees;

    /// <summary>Makes an empty arena.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="schema">The records.</param>
    /// <param name="seed">The key of the hash.</param>
    /// <param name="reserve">The most bytes that records may ever take.</param>
    /// <param name="limit">The most bytes that they may take now.</param>
    public InMemoryAllocator(EpochTable<TProbe> epochs, RecordSchema schema, HashSeed seed, long reserve, long limit)
    {
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
    public override int LargestRecord => 16 << 20;

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
        int sizeClass = ClassOf(size, out int room);
        if (lists.TryTake(sizeClass, _epochs.Safe, out address))
        {
            NativeMemory.Clear((byte*)address, (nuint)room);
            return true;
        }

        if (lists.ArenaEnd - lists.ArenaNext < room && !TryTakePiece(lists, room)
            && !TryTakeOrphan(lists, sizeClass, room, out address))
        {
            if (lists.InLimbo == 0)
                throw Full();
            // What this session has freed is only waiting for its epoch: leave, let it become safe, come again.
            _epochs.Bump(static () => { });
            return false;
        }

        if (address != 0) return true;
        address = lists.ArenaNext;
        lists.ArenaNext += room;
        return true;
    }

    /// <inheritdoc/>
    public override void Free(FreeLists? lists, long address, int size, bool everLinked)
    {
        ArgumentNullException.ThrowIfNull(lists);
        int sizeClass = ClassOf(size, out _);
        if (!everLinked || TProbe.Has(SeededBug.FreeWithoutEpoch))
        {
            lists.Add(address, sizeClass);
            return;
        }

        lists.AddToLimbo(_epochs.Current, address, sizeClass);
        if (Interlocked.Increment(ref _frees) % FreeLists.BumpEvery == 0) _epochs.Bump(static () => { });
    }

    /// <summary>A session has ended: what it freed is for others to use.</summary>
    public void Adopt(FreeLists lists)
    {
        lock (_orphaned)
        {
            _orphaned.Adopt(lists);
            if (lists.ArenaEnd > lists.ArenaNext) _pieces.Push((lists.ArenaNext, lists.ArenaEnd));
        }
    }

    /// <inheritdoc/>
    public override void WaitForRoom()
    {
        _epochs.Bump(static () => { });
        Thread.Yield();
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

    private static int ClassOf(int size, out int room)
    {
        if (size <= ExactClassLimit)
        {
            room = size;
            return size / 8;
        }

        int log = 32 - System.Numerics.BitOperations.LeadingZeroCount((uint)size - 1);
        room = 1 << log;
        return (ExactClassLimit / 8) + log;
    }

    private bool TryTakePiece(FreeLists lists, int room)
    {
        lock (_orphaned)
        {
            if (_pieces.TryPeek(out var piece) && piece.End - piece.Next >= room)
            {
                (lists.ArenaNext, lists.ArenaEnd) = _pieces.Pop();
                return true;
            }
        }

        int bytes = Math.Max(room, Piece);
        long offset;
        do
        {
            offset = Volatile.Read(ref _next);
            if (offset + bytes > Volatile.Read(ref _limit)) bytes = room; // near the end take no more than needed
            if (offset + bytes > Volatile.Read(ref _limit)) return false;
        }
        while (Interlocked.CompareExchange(ref _next, offset + bytes, offset) != offset);

        lists.ArenaNext = (long)_arena.Pointer + offset;
        lists.ArenaEnd = lists.ArenaNext + bytes;
        return true;
    }

    private bool TryTakeOrphan(FreeLists lists, int sizeClass, int room, out long address)
    {
        lock (_orphaned)
        {
            lists.Adopt(_orphaned);
        }

        if (!lists.TryTake(sizeClass, _epochs.Safe, out address)) return false;
        NativeMemory.Clear((byte*)address, (nuint)room);
        return true;
    }

    private LimitExceededException Full() => new(
        $"The records have used up the store's memory of {new ByteSize(Volatile.Read(ref _limit))}. "
        + "Raise StoreOptions.MemoryBudget, delete keys, or choose the hybrid log, which spills to disk.");
}
