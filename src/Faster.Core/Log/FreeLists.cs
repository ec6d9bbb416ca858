namespace Faster.Log;

/// <summary>
/// A session's free memory, by size class: first in limbo, with the epoch at which it was unlinked, then reusable
/// (paper 000 §4). Bounded: what is more goes to <see cref="SharedFreeLists{TProbe}"/>, for all sessions.
/// </summary>
/// <remarks>
/// A free block holds the address of the next one in its first word, so that lists take no memory besides. What is in
/// limbo is left as it is: somebody may still be reading it. Not thread-safe: it belongs to a session.
/// </remarks>
internal sealed unsafe class FreeLists
{
    private readonly Queue<FreedBlock> _limbo = new();
    private readonly long[] _heads = new long[SizeClasses.Count];
    private readonly int[] _counts = new int[SizeClasses.Count];

    /// <summary>Where the unused part of the memory begins that the session cuts blocks from.</summary>
    public long PieceNext { get; set; }

    /// <summary>Where it ends.</summary>
    public long PieceEnd { get; set; }

    /// <summary>How many blocks wait for their epoch to be safe.</summary>
    public int InLimbo => _limbo.Count;

    /// <summary>Their bytes.</summary>
    public long LimboBytes { get; private set; }

    /// <summary>The bytes of the blocks that can be used.</summary>
    public long FreeBytes { get; private set; }

    /// <summary>How many blocks of a class can be used.</summary>
    public int Count(int sizeClass) => _counts[sizeClass];

    /// <summary>Takes a block that others may still be looking at.</summary>
    public void AddToLimbo(in FreedBlock block)
    {
        _limbo.Enqueue(block);
        LimboBytes += SizeClasses.BytesOf(block.Class);
    }

    /// <summary>Gives all out that wait, oldest first: the last one's epoch is the newest.</summary>
    public FreedBlock[] TakeLimbo()
    {
        FreedBlock[] blocks = [.. _limbo];
        _limbo.Clear();
        LimboBytes = 0;
        return blocks;
    }

    /// <summary>Takes a block that nobody else can see.</summary>
    public void Add(long address, int sizeClass)
    {
        *(long*)address = _heads[sizeClass];
        _heads[sizeClass] = address;
        _counts[sizeClass]++;
        FreeBytes += SizeClasses.BytesOf(sizeClass);
    }

    /// <summary>Gives a block out that nobody looks at any more.</summary>
    /// <param name="safeEpoch">The newest safe epoch: what was unlinked in it or before leaves limbo.</param>
    /// <param name="block">The block.</param>
    public bool TryTakeFromLimbo(long safeEpoch, out FreedBlock block)
    {
        if (!_limbo.TryPeek(out block) || block.Epoch > safeEpoch) return false;
        _limbo.Dequeue();
        LimboBytes -= SizeClasses.BytesOf(block.Class);
        return true;
    }

    /// <summary>Gives a block out again, whose bytes are whatever they were.</summary>
    public bool TryTake(int sizeClass, out long address)
    {
        address = _heads[sizeClass];
        if (address == 0) return false;
        _heads[sizeClass] = *(long*)address;
        _counts[sizeClass]--;
        FreeBytes -= SizeClasses.BytesOf(sizeClass);
        return true;
    }

    /// <summary>Gives all blocks of a class out, each with the address of the next in its first word.</summary>
    /// <returns>The first one, and how many; 0 if there is none.</returns>
    public (long First, int Count) TakeAll(int sizeClass)
    {
        (long First, int Count) all = (_heads[sizeClass], _counts[sizeClass]);
        (_heads[sizeClass], _counts[sizeClass]) = (0, 0);
        FreeBytes -= (long)all.Count * SizeClasses.BytesOf(sizeClass);
        return all;
    }

    /// <summary>Takes blocks of a class of which there are none.</summary>
    public void Put(int sizeClass, (long First, int Count) blocks)
    {
        (_heads[sizeClass], _counts[sizeClass]) = blocks;
        FreeBytes += (long)blocks.Count * SizeClasses.BytesOf(sizeClass);
    }
}

/// <summary>A block that was freed.</summary>
/// <param name="Epoch">The epoch in which it was unlinked, or a later one.</param>
/// <param name="Address">Where it lies.</param>
/// <param name="Class">Its size class.</param>
internal readonly record struct FreedBlock(long Epoch, long Address, int Class);
