using System.Runtime.InteropServices;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Log.InMemory;

/// <summary>
/// Native memory from which sessions take blocks by size class, and to which they return blocks that other sessions may
/// still be reading.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A block lies in the arena, at a multiple of 8. No two overlap.</item>
/// <item>A block that was linked is reused only when the epoch in which it was unlinked is safe.</item>
/// <item>An allocation fails only when nothing is in limbo and sessions keep nothing, or after 64 epochs whose freed
/// blocks were of no use to it.</item>
/// </list>
/// <para>Thread-safe. Memory comes from the session's free lists, then from blocks that have left limbo, then from the
/// session's piece, then from the shared space, which joins what is free (<see cref="FreeSpace"/>). A session keeps
/// some blocks to itself, no more than it has taken before; one that lacks memory takes what the others keep
/// (<see cref="OpenLists"/>), and for some time after it sessions keep nothing. Nothing waits here but for the
/// short lock of the shared space: an allocation that has to wait returns, and its caller leaves its epoch.</para>
/// <para><b>Limbo.</b> A session that is preempted inside its epoch keeps in limbo all that the others free meanwhile.
/// If they took new memory at once, records would be spread over all of the arena, and the index could not grow. So
/// while more than a part of the memory taken is in limbo, sessions reuse what is free, but take nothing after the last
/// block, for <see cref="MaxWait"/> at most: a session that stays in its epoch for longer holds the others up once, and
/// stops none while there is memory.</para>
/// </remarks>
internal sealed unsafe class RecordArena : IDisposable
{
    private const int MostPiece = 64 << 10, MinKept = 4 << 10;
    private const int PartOfKept = 64;     // divisor of the arena: the share that one session's lists may keep
    private const int FreesWhileShort = 4096;
    private const int PartInLimbo = 16;    // divisor of the bytes taken: the share in limbo that makes sessions wait
    private const int MinLimbo = 512 << 10;
    private const int MaxWait = 100;       // milliseconds
    private const int MaxInVain = 64;

    private readonly EpochTable _epochs;
    private readonly SharedSpace _shared;
    private readonly OpenLists _open = new();
    private readonly Func<ByteSize, LimitExceededException> _full;
    private readonly int _batch;
    private readonly long _mostKept;
    private int _short; // how many of the next frees are shared immediately

    /// <summary>Creates an empty arena.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="reserve">The maximum number of bytes that records may ever take.</param>
    /// <param name="limit">The maximum number of bytes that they may take now.</param>
    /// <param name="batch">
    /// The number of free blocks that a session passes on at once. Each batch in limbo costs a bump of the epoch, which
    /// is a barrier for the whole process.
    /// </param>
    /// <param name="hasReserve">Whether a full arena has memory for records that replace others as large.</param>
    /// <param name="full">Makes the exception for a limit that is reached.</param>
    public RecordArena(
        EpochTable epochs, long reserve, long limit, int batch, bool hasReserve,
        Func<ByteSize, LimitExceededException> full)
    {
        _batch = batch;
        _mostKept = Math.Clamp(reserve / PartOfKept, MinKept, MostPiece);
        _epochs = epochs;
        _shared = new SharedSpace(reserve, limit, hasReserve);
        _full = full;
    }

    /// <summary>
    /// The bytes from the first block to the last, the free ones between them and the map of these included. Falls when
    /// the last blocks are freed.
    /// </summary>
    public long BytesTaken => _shared.BytesTaken;

    /// <summary>The maximum number of bytes that blocks may take now.</summary>
    public long Limit => _shared.Limit;

    /// <summary>Takes a zeroed block.</summary>
    /// <param name="lists">The free lists of the session.</param>
    /// <param name="size">The size in bytes, a multiple of 8 up to <see cref="SizeClasses.Most"/>.</param>
    /// <param name="address">The block's address.</param>
    /// <param name="replaces">
    /// Whether the block is for a record that replaces another of this size or more, which is freed then: it may be
    /// taken from memory that a full arena reserves for this.
    /// </param>
    /// <returns>
    /// False if memory is short and blocks wait for their epoch: the caller leaves its own epoch, waits
    /// (<see cref="WaitForSpace"/>), and tries again.
    /// </returns>
    /// <exception cref="LimitExceededException">The limit is reached, and nothing waits for an epoch.</exception>
    public bool TryAllocate(FreeLists lists, int size, out long address, bool replaces = false)
    {
        int sizeClass = SizeClasses.Holding(size), blockSize = SizeClasses.BytesOf(sizeClass);
        long safe = _epochs.Safe;
        bool isTaken, mustWait = MustWait(lists);
        SpaceFor use = mustWait ? SpaceFor.Reuse : replaces ? SpaceFor.Replacement : SpaceFor.NewRecord;
        if (TryEnter(lists))
        {
            isTaken = TryReuse(lists, safe, sizeClass, out address) || TryCut(lists, blockSize, use, out address);
            Leave(lists);
        }
        else
        {
            (long Next, long End) block = default;
            isTaken = _shared.TryTake(blockSize, blockSize, use, ref block);
            address = block.Next;
        }

        if (!isTaken) return !mustWait && FindMore(lists, safe);
        if (lists.FailedIn != 0) (lists.FailedIn, lists.InVain) = (0, 0);
        Invariant.DebugCheck(
            _shared.Contains(address, blockSize), $"a block of {blockSize} bytes at {address:x} lies in the arena");
        NativeMemory.Clear((byte*)address, (nuint)blockSize);
        return true;
    }

    /// <summary>Returns a block.</summary>
    /// <param name="lists">The free lists of the session.</param>
    /// <param name="address">The block's address.</param>
    /// <param name="size">The size with which it was taken.</param>
    /// <param name="everLinked">Whether another session may be reading it.</param>
    public void Free(FreeLists lists, long address, int size, bool everLinked)
    {
        int sizeClass = SizeClasses.Holding(size);
        if (!everLinked || (Probe.On && Probe.Has(SeededBug.FreeWithoutEpoch)))
        {
            if (TryEnter(lists))
            {
                Keep(lists, address, sizeClass);
                Leave(lists);
            }
            else
            {
                _shared.Give(address, SizeClasses.BytesOf(sizeClass));
            }

            return;
        }

        Invariant.DebugCheck(
            _shared.Contains(address, SizeClasses.BytesOf(sizeClass)),
            $"a freed block at {address:x} lies in the arena");
        var block = new FreedBlock(_epochs.Current, address, sizeClass);
        bool isShort = IsShort();
        FreedBlock[] batch = [];
        if (TryEnter(lists))
        {
            lists.AddToLimbo(block);
            if (isShort || lists.InLimbo >= _batch || lists.LimboBytes > _mostKept) batch = lists.TakeLimbo();
            Leave(lists);
            if (batch.Length == 0) return;
        }
        else
        {
            batch = [block];
        }

        _shared.PutInLimbo(batch);
        // While memory is short, the session that lacks memory bumps.
        if (!isShort) _epochs.Bump(static () => { });
    }

    /// <summary>Takes over the free memory of a session that has ended, for the others.</summary>
    public void Adopt(FreeLists lists)
    {
        _open.Remove(lists);
        Empty(lists);
        (lists.FailedIn, lists.InVain, lists.WaitsSince) = (0, 0, 0);
    }

    /// <summary>Waits a moment, outside every epoch, for blocks in limbo.</summary>
    public void WaitForSpace()
    {
        _epochs.Bump(static () => { });
        if (!(Probe.On && Probe.Wait(null))) Thread.Yield();
    }

    /// <summary>
    /// Changes the limit; bytes taken above a lower limit stay taken, other memory above it goes back to the system.
    /// </summary>
    public void SetLimit(long bytes) => _shared.SetLimit(bytes);

    /// <summary>Touches the first bytes of the arena, at most <see cref="Limit"/>.</summary>
    public void Populate(long bytes) => _shared.Populate(bytes);

    /// <summary>
    /// Takes back what sessions keep, and checks the invariants of the free memory. Called when no session works.
    /// </summary>
    /// <param name="visit">Called for each free block with its address and size, in the order of addresses.</param>
    public void Walk(Action<long, long> visit)
    {
        _ = _open.TryClaim(Empty, out _);
        while (_shared.TryTakeFromLimbo(_epochs.Safe, out FreedBlock[]? freed)) GiveAll(freed);
        _shared.Walk(visit);
    }

    /// <inheritdoc/>
    public void Dispose() => _shared.Dispose();

    private bool TryEnter(FreeLists lists) =>
        lists.TryEnter() || (lists.Place < 0 && _open.TryAdd(lists) && lists.TryEnter());

    private void Leave(FreeLists lists)
    {
        if (!lists.IsEmpty) _open.NoteKept();
        lists.Leave();
    }

    private bool TryReuse(FreeLists lists, long safe, int sizeClass, out long address)
    {
        while (lists.TryTakeFromLimbo(safe, out FreedBlock own)) Keep(lists, own.Address, own.Class);
        while (!lists.TryTake(sizeClass, out address))
        {
            if (!_shared.TryTakeFromLimbo(safe, out FreedBlock[]? freed)) return false;
            foreach (FreedBlock block in freed) Keep(lists, block.Address, block.Class);
        }

        return true;
    }

    // Keeps a free block, and shares others if they are many.
    private void Keep(FreeLists lists, long address, int sizeClass)
    {
        int bytes = SizeClasses.BytesOf(sizeClass);
        if (bytes > FreeLists.MostBlock || Volatile.Read(ref _short) > 0)
        {
            _shared.Give(address, bytes);
            return;
        }

        lists.Add(address, sizeClass);
        if (lists.Count(sizeClass) >= _batch) _shared.GiveAll(sizeClass, lists.TakeAll(sizeClass));
        while (lists.FreeBytes > _mostKept)
        {
            int other = lists.NextClass();
            _shared.GiveAll(other, lists.TakeAll(other));
        }
    }

    // Cuts a block from the session's piece, or from the next one.
    private bool TryCut(FreeLists lists, int blockSize, SpaceFor use, out long address)
    {
        if (lists.PieceEnd - lists.PieceNext >= blockSize)
        {
            address = lists.PieceNext;
            lists.PieceNext += blockSize;
            return true;
        }

        // A large record takes no piece: the rest of the session's own piece is useful for smaller ones.
        bool takesPiece = blockSize <= _mostKept / 4 && Volatile.Read(ref _short) <= 0;
        (long Next, long End) piece = takesPiece ? (lists.PieceNext, lists.PieceEnd) : default;
        int wanted = takesPiece ? Math.Max(blockSize, lists.NextPiece) : blockSize;
        bool isTaken = _shared.TryTake(blockSize, wanted, use, ref piece);
        address = piece.Next;
        if (!takesPiece) return isTaken;
        (lists.PieceNext, lists.PieceEnd) = isTaken ? (address + blockSize, piece.End) : default;
        // The first pieces are small: a session keeps no more than it has taken.
        lists.NextPiece = (int)Math.Min(_mostKept, lists.NextPiece + blockSize + wanted);
        return isTaken;
    }

    // Whether to leave the epoch and wait rather than take new memory, because much will soon be reusable.
    private bool MustWait(FreeLists lists)
    {
        bool isMuch = _shared.LimboBytes > Math.Max(MinLimbo, BytesTaken / PartInLimbo);
        if (!isMuch) lists.WaitsSince = 0;
        else if (lists.WaitsSince == 0) lists.WaitsSince = Environment.TickCount64;
        return isMuch && Environment.TickCount64 - lists.WaitsSince <= MaxWait;
    }

    // After an allocation has failed. What sessions keep is taken back, and they keep nothing for some time. Blocks in
    // limbo wait for their epoch: the caller leaves its own, so that theirs can become safe, and tries again. It fails
    // when there is nothing to wait for, or when all that was in limbo has been reusable as often as MaxInVain, and
    // others have used it.
    private bool FindMore(FreeLists lists, long safe)
    {
        Volatile.Write(ref _short, FreesWhileShort);
        if (_open.TryClaim(Empty, out bool hasKept))
        {
            bool isInVain = lists.FailedIn != 0 && safe >= lists.FailedIn;
            if (isInVain) lists.InVain++;
            if (lists.InVain == MaxInVain || (!hasKept && _shared.InLimbo == 0))
            {
                (lists.FailedIn, lists.InVain) = (0, 0);
                throw _full(new ByteSize(Limit));
            }

            if (isInVain || lists.FailedIn == 0) lists.FailedIn = _epochs.Current;
        }

        return false;
    }

    private bool IsShort() => Volatile.Read(ref _short) > 0 && Interlocked.Decrement(ref _short) >= 0;

    private void Empty(FreeLists lists)
    {
        _shared.PutInLimbo(lists.TakeLimbo());
        if (lists.PieceEnd > lists.PieceNext) _shared.Give(lists.PieceNext, lists.PieceEnd - lists.PieceNext);
        (lists.PieceNext, lists.PieceEnd, lists.NextPiece) = (0, 0, 0);
        while (lists.FreeBytes > 0)
        {
            int sizeClass = lists.NextClass();
            _shared.GiveAll(sizeClass, lists.TakeAll(sizeClass));
        }
    }

    private void GiveAll(FreedBlock[] blocks)
    {
        foreach (FreedBlock block in blocks) _shared.Give(block.Address, SizeClasses.BytesOf(block.Class));
    }
}
