using Faster.Invariants;
using Faster.Probes;

namespace Faster.Log.InMemory;

/// <summary>
/// What a session keeps of an arena: a piece that it cuts blocks from, free blocks by size class, and blocks in limbo
/// with the epoch in which they were unlinked (paper 000 §4).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A block is in one list at most, or in limbo, or in use.</item>
/// <item>A block in limbo is not modified, because another session may still be reading it.</item>
/// <item>Counts and bytes are those of the blocks in the lists, and never negative.</item>
/// </list>
/// <para>A free block holds the address of the next one in its first word. A session that has freed nothing has no
/// lists. Not thread-safe: its members are for the session between <see cref="TryEnter"/> and
/// <see cref="Leave"/>, and for the thread that has claimed it (<see cref="OpenLists"/>).</para>
/// </remarks>
internal sealed unsafe class FreeLists
{
    /// <summary>The largest block in bytes that is kept.</summary>
    public const int MostBlock = 16 << 10;

    private static readonly int Classes = SizeClasses.Holding(MostBlock) + 1;

    private readonly Queue<FreedBlock> _limbo = new();
    private (long First, int Count)[] _lists = [];
    private int _hand; // the class that NextClass returned last
    private int _isEntered;
    private int _isClosed = 1;

    /// <summary>The first unused address of the session's piece.</summary>
    public long PieceNext { get; set; }

    /// <summary>The address after the last byte of <see cref="PieceNext"/>'s piece.</summary>
    public long PieceEnd { get; set; }

    /// <summary>The size in bytes of the next piece; 0 for no more than is needed.</summary>
    public int NextPiece { get; set; }

    /// <summary>The place among <see cref="OpenLists"/>; -1 if the session has no place yet.</summary>
    public int Place { get; set; } = -1;

    /// <summary>
    /// The epoch in which an allocation has failed that is still being tried; 0 if there is none. Only for the session.
    /// </summary>
    public long FailedIn { get; set; }

    /// <summary>How many epochs that allocation has waited in vain. Only for the session.</summary>
    public int InVain { get; set; }

    /// <summary>
    /// Since when allocations have waited for blocks in limbo, in milliseconds; 0 if few are. Only for the session.
    /// </summary>
    public long WaitsSince { get; set; }

    /// <summary>The number of blocks that wait for their epoch to become safe.</summary>
    public int InLimbo => _limbo.Count;

    /// <summary>The bytes of the blocks in limbo.</summary>
    public long LimboBytes { get; private set; }

    /// <summary>The bytes of the reusable blocks.</summary>
    public long FreeBytes { get; private set; }

    /// <summary>Whether the session keeps nothing.</summary>
    public bool IsEmpty => FreeBytes == 0 && LimboBytes == 0 && PieceNext == PieceEnd;

    /// <summary>Whether the session is between <see cref="TryEnter"/> and <see cref="Leave"/>.</summary>
    public bool IsEntered => Volatile.Read(ref _isEntered) != 0;

    /// <summary>Whether the session may not enter: others have claimed what it keeps, or it has no place yet.</summary>
    public bool IsClosed
    {
        get => Volatile.Read(ref _isClosed) != 0;
        set => Volatile.Write(ref _isClosed, value ? 1 : 0);
    }

    /// <summary>Enters, unless the lists are closed: then the session does without them.</summary>
    public bool TryEnter()
    {
        Volatile.Write(ref _isEntered, 1);
        Probe.Point(ProbePoint.FreeList);
        if (Volatile.Read(ref _isClosed) == 0 || (Probe.On && Probe.Has(SeededBug.EntersClosedLists))) return true;
        Volatile.Write(ref _isEntered, 0);
        return false;
    }

    public void Leave() => Volatile.Write(ref _isEntered, 0);

    /// <summary>The number of reusable blocks of a class.</summary>
    public int Count(int sizeClass) => sizeClass < _lists.Length ? _lists[sizeClass].Count : 0;

    /// <summary>The block after a reusable one in its list; 0 for the last one.</summary>
    public static long Next(long block) => *(long*)block;

    /// <summary>Adds a block that other sessions may still be reading.</summary>
    public void AddToLimbo(in FreedBlock block)
    {
        _limbo.Enqueue(block);
        LimboBytes += SizeClasses.BytesOf(block.Class);
    }

    /// <summary>
    /// Removes all blocks in limbo and returns them, oldest first: the last one's epoch is the newest.
    /// </summary>
    public FreedBlock[] TakeLimbo()
    {
        FreedBlock[] blocks = [.. _limbo];
        _limbo.Clear();
        LimboBytes = 0;
        return blocks;
    }

    /// <summary>Removes the oldest block in limbo that no session reads any more.</summary>
    /// <param name="safeEpoch">The newest safe epoch: blocks unlinked in it or earlier leave limbo.</param>
    /// <param name="block">The block.</param>
    public bool TryTakeFromLimbo(long safeEpoch, out FreedBlock block)
    {
        if (!_limbo.TryPeek(out block) || block.Epoch > safeEpoch) return false;
        _limbo.Dequeue();
        LimboBytes -= SizeClasses.BytesOf(block.Class);
        return true;
    }

    /// <summary>Adds a block of at most <see cref="MostBlock"/> that no other session can see.</summary>
    public void Add(long address, int sizeClass)
    {
        if (_lists.Length == 0) _lists = new (long, int)[Classes];
        ref (long First, int Count) list = ref _lists[sizeClass];
        Invariant.DebugCheck(
            address > 0 && (address & 7) == 0 && address != list.First,
            $"a block is freed once: {address:x} of class {sizeClass}");
        *(long*)address = list.First;
        list = (address, list.Count + 1);
        FreeBytes += SizeClasses.BytesOf(sizeClass);
    }

    /// <summary>Removes a reusable block; its bytes are not cleared.</summary>
    public bool TryTake(int sizeClass, out long address)
    {
        address = 0;
        if (sizeClass >= _lists.Length) return false;
        ref (long First, int Count) list = ref _lists[sizeClass];
        if ((address = list.First) == 0) return false;
        list = (Next(address), list.Count - 1);
        FreeBytes -= SizeClasses.BytesOf(sizeClass);
        Invariant.DebugCheck(
            list.Count >= 0 && FreeBytes >= 0 && (list.Count == 0) == (list.First == 0),
            $"the count is that of the list: {list.Count} of class {sizeClass}, {FreeBytes} bytes");
        return true;
    }

    /// <summary>Removes all blocks of a class.</summary>
    /// <returns>The first block (<see cref="Next"/>), or 0.</returns>
    public long TakeAll(int sizeClass)
    {
        ref (long First, int Count) list = ref _lists[sizeClass];
        long first = list.First;
        FreeBytes -= (long)list.Count * SizeClasses.BytesOf(sizeClass);
        list = default;
        return first;
    }

    /// <summary>The class with blocks that comes after the last one that this returned, in turn.</summary>
    public int NextClass()
    {
        Invariant.DebugCheck(FreeBytes > 0, $"there are blocks: {FreeBytes} bytes");
        do _hand = (_hand + 1) % Classes;
        while (_lists[_hand].Count == 0);
        return _hand;
    }
}

/// <summary>A freed block.</summary>
/// <param name="Epoch">The epoch in which it was unlinked, or a later one.</param>
/// <param name="Address">Its address.</param>
/// <param name="Class">Its size class.</param>
internal readonly record struct FreedBlock(long Epoch, long Address, int Class);
