using Faster.Invariants;

namespace Faster.Log.InMemory;

/// <summary>
/// A session's free memory by size class: freed blocks first wait in limbo, with the epoch in which they were unlinked,
/// and then become reusable (paper 000 §4). Bounded: the surplus goes to <see cref="SharedFreeLists{TProbe}"/>, for all
/// sessions.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A block is in one list at most, or in limbo, or in use.</item>
/// <item>A block in limbo is not modified, because another session may still be reading it.</item>
/// <item>Counts and bytes are those of the blocks in the lists, and never negative.</item>
/// </list>
/// <para>A free block holds the address of the next one in its first word, so the lists take no further memory. Not
/// thread-safe: it belongs to one session.</para>
/// </remarks>
internal sealed unsafe class FreeLists
{
    private readonly Queue<FreedBlock> _limbo = new();
    private readonly long[] _heads = new long[SizeClasses.Count];
    private readonly int[] _counts = new int[SizeClasses.Count];

    /// <summary>The first unused address of the piece of memory that the session cuts blocks from.</summary>
    public long PieceNext { get; set; }

    /// <summary>The address after the last byte of <see cref="PieceNext"/>'s piece.</summary>
    public long PieceEnd { get; set; }

    /// <summary>Since when an allocation has waited for blocks in limbo, in milliseconds; 0 if none does.</summary>
    public long WaitsSince { get; set; }

    /// <summary>The number of blocks that wait for their epoch to become safe.</summary>
    public int InLimbo => _limbo.Count;

    /// <summary>The bytes of the blocks in limbo.</summary>
    public long LimboBytes { get; private set; }

    /// <summary>The bytes of the reusable blocks.</summary>
    public long FreeBytes { get; private set; }

    /// <summary>The number of reusable blocks of a class.</summary>
    public int Count(int sizeClass) => _counts[sizeClass];

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

    /// <summary>Adds a block that no other session can see.</summary>
    public void Add(long address, int sizeClass)
    {
        Invariant.DebugCheck(
            address > 0 && (address & 7) == 0 && address != _heads[sizeClass],
            $"a block is freed once: {address:x} of class {sizeClass}");
        *(long*)address = _heads[sizeClass];
        _heads[sizeClass] = address;
        _counts[sizeClass]++;
        FreeBytes += SizeClasses.BytesOf(sizeClass);
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

    /// <summary>Removes a reusable block; its bytes are not cleared.</summary>
    public bool TryTake(int sizeClass, out long address)
    {
        address = _heads[sizeClass];
        if (address == 0) return false;
        _heads[sizeClass] = *(long*)address;
        _counts[sizeClass]--;
        FreeBytes -= SizeClasses.BytesOf(sizeClass);
        Invariant.DebugCheck(
            _counts[sizeClass] >= 0 && FreeBytes >= 0 && (_counts[sizeClass] == 0) == (_heads[sizeClass] == 0),
            $"the count is that of the list: {_counts[sizeClass]} of class {sizeClass}, {FreeBytes} bytes");
        return true;
    }

    /// <summary>Removes all blocks of a class, each with the address of the next in its first word.</summary>
    /// <returns>The first block and their number; 0 if there are none.</returns>
    public (long First, int Count) TakeAll(int sizeClass)
    {
        (long First, int Count) all = (_heads[sizeClass], _counts[sizeClass]);
        (_heads[sizeClass], _counts[sizeClass]) = (0, 0);
        FreeBytes -= (long)all.Count * SizeClasses.BytesOf(sizeClass);
        return all;
    }

    /// <summary>Adds blocks of a class that has none.</summary>
    public void Put(int sizeClass, (long First, int Count) blocks)
    {
        Invariant.DebugCheck(
            _heads[sizeClass] == 0 && blocks.Count > 0, $"{blocks.Count} blocks go to an empty list of {sizeClass}");
        (_heads[sizeClass], _counts[sizeClass]) = blocks;
        FreeBytes += (long)blocks.Count * SizeClasses.BytesOf(sizeClass);
    }
}

/// <summary>A freed block.</summary>
/// <param name="Epoch">The epoch in which it was unlinked, or a later one.</param>
/// <param name="Address">Its address.</param>
/// <param name="Class">Its size class.</param>
internal readonly record struct FreedBlock(long Epoch, long Address, int Class);
