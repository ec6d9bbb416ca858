using System.Numerics;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Log.InMemory;

/// <summary>
/// The free blocks of an arena. A block that becomes free is joined with its free neighbors at once, and is found by
/// its size: the smallest class of which each block is large enough has the block that is used, and what is left of
/// that stays free.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every byte from <see cref="Start"/> to <see cref="End"/> is in one free block, or is taken.</item>
/// <item>No two free blocks are neighbors, and none ends at <see cref="End"/>.</item>
/// <item>A bit of the map is set for the first and the last word of each free block, and for no other word.</item>
/// <item>Each free block of two words or more is in the list of the largest class that fits into it.</item>
/// </list>
/// <para>A taken block has no header: its owner knows its size. The words of a free block:</para>
/// <code>
/// first     size : 16 | next block of its list : 48
/// second    size : 16 | block before it in its list : 48
/// last      size : 16                                     the second word, if there are two
/// </code>
/// <para>Sizes count words of 8 bytes. 65,535 stands for this or more: then the third word and the last but one hold
/// the size. A block of one word is in no list; it becomes useful when a neighbor is freed.</para>
/// <para>Not thread-safe: <see cref="SharedSpace"/> has the lock.</para>
/// </remarks>
internal sealed unsafe class FreeSpace : IDisposable
{
    /// <summary>The size of the map, as a divisor of the arena's size.</summary>
    public const int PartOfMap = 64;

    /// <summary>How many times as large a free block is from which more is taken than needed.</summary>
    private const int PartOfBlock = 4;

    private const int Word = sizeof(long), SizeShift = 48;
    private const ulong LinkMask = (1UL << SizeShift) - 1;
    private const long Long = ushort.MaxValue;

    private readonly NativeBlock _map; // a bit for each word, after one for the word before the arena
    private readonly long[] _heads = new long[SizeClasses.Count];
    private readonly long[] _bytes = new long[SizeClasses.Count];
    private readonly ulong[] _used = new ulong[(SizeClasses.Count + 63) / 64]; // a bit for each class with blocks

    /// <summary>Manages memory of which nothing is taken yet.</summary>
    /// <param name="start">Its address, a multiple of 8.</param>
    /// <param name="bytes">Its size in bytes.</param>
    public FreeSpace(long start, long bytes)
    {
        (Start, End) = (start, start);
        _map = new NativeBlock((bytes / PartOfMap) + Word);
    }

    /// <summary>The address of the arena.</summary>
    public long Start { get; }

    /// <summary>The address after the last byte that is taken.</summary>
    public long End { get; private set; }

    /// <summary>The bytes of the free blocks.</summary>
    public long Bytes { get; private set; }

    /// <summary>The bytes of the free blocks that a block of a class can be taken from.</summary>
    /// <param name="least">The size of the class.</param>
    public long BytesOfBlocks(int least)
    {
        long bytes = 0;
        for (int c = SizeClasses.Holding(least); c < SizeClasses.Count; c++) bytes += _bytes[c];
        return bytes;
    }

    /// <inheritdoc/>
    public void Dispose() => _map.Dispose();

    /// <summary>Takes memory: from a free block, or after the end.</summary>
    /// <param name="least">The bytes that are needed, the size of a class.</param>
    /// <param name="wanted">
    /// The bytes to take of a free block that is <see cref="PartOfBlock"/> times as large, or after the end.
    /// </param>
    /// <param name="bound">The address that the end may not pass.</param>
    /// <param name="bytes">The bytes taken.</param>
    /// <returns>Their address, or 0.</returns>
    public long Take(int least, int wanted, long bound, out int bytes)
    {
        int sizeClass = NextUsed(SizeClasses.Holding(least));
        if (sizeClass < 0) return TakeAfterEnd(least, wanted, bound, out bytes);
        long block = _heads[sizeClass], size = SizeOf(block);
        Remove(block, size);
        // To cut small records from a block of medium size would use up the blocks that larger ones need.
        bytes = size / PartOfBlock >= wanted ? wanted : least;
        if (bytes < size) Add(block + bytes, size - bytes);
        return block;
    }

    /// <summary>Takes a block back.</summary>
    public void Give(long block, long bytes)
    {
        long end = block + bytes;
        Invariant.Check(
            block >= Start && end <= End && !IsMarked(block) && !IsMarked(end - Word),
            $"{bytes} bytes at {block:x} are taken when they are given back to the memory up to {End:x}");
        if (IsMarked(block - Word))
        {
            long before = SizeBefore(block);
            block -= before;
            Remove(block, before);
        }

        if (end < End && IsMarked(end))
        {
            long after = SizeOf(end);
            Remove(end, after);
            end += after;
        }

        if (end == End) End = block;
        else Add(block, end - block);
    }

    /// <summary>
    /// Checks the invariants, and calls <paramref name="visit"/> for each free block, by address.
    /// </summary>
    public void Walk(Action<long, long> visit)
    {
        long sum = 0;
        int listed = 0;
        for (long word = Start; word < End; word += Word)
        {
            if (!IsMarked(word)) continue;
            long size = SizeOf(word);
            Invariant.Check(
                word + size < End && IsMarked(word + size - Word) && SizeBefore(word + size) == size,
                $"a free block of {size} bytes at {word:x} ends as it begins, before {End:x}");
            for (long inner = word + Word; inner < word + size - Word; inner += Word)
                Invariant.Check(!IsMarked(inner), $"no block begins in the free block at {word:x}");
            Invariant.Check(!IsMarked(word + size), $"the free block at {word:x} is joined with the one after it");
            visit(word, size);
            sum += size;
            if (size >= SizeClasses.Least) listed++;
            word += size - Word;
        }

        for (int c = 0; c < SizeClasses.Count; c++)
        {
            Invariant.Check(
                _heads[c] != 0 == ((_used[c / 64] >> (c % 64) & 1) != 0), $"the bit of class {c} is that of its list");
            long bytes = _bytes[c];
            for (long block = _heads[c], before = 0; block != 0; before = block, block = Next(block), listed--)
            {
                bytes -= SizeOf(block);
                Invariant.Check(
                    IsMarked(block) && SizeClasses.Within(SizeOf(block)) == c && Before(block) == before,
                    $"the free block at {block:x} is in the list of its class, {c}");
            }

            Invariant.Check(bytes == 0, $"the bytes of class {c} are those of its list, {_bytes[c]}");
        }

        Invariant.Check(sum == Bytes && listed == 0, $"{Bytes} bytes are free and all blocks are listed: {sum}");
    }

    private long TakeAfterEnd(int least, int wanted, long bound, out int bytes)
    {
        bytes = End + wanted <= bound ? wanted : least; // near the bound, take no more than needed
        if (End + bytes > bound) return 0;
        long block = End;
        End += bytes;
        return block;
    }

    private void Add(long block, long size)
    {
        SetSize(block, size);
        Flip(block);
        if (size > Word) Flip(block + size - Word);
        Bytes += size;
        if (size < SizeClasses.Least) return;
        int sizeClass = SizeClasses.Within(size);
        _bytes[sizeClass] += size;
        long next = _heads[sizeClass];
        SetLink(block, next);
        SetLink(block + Word, 0);
        if (next != 0) SetLink(next + Word, block);
        _heads[sizeClass] = block;
        _used[sizeClass / 64] |= 1UL << (sizeClass % 64);
    }

    private void Remove(long block, long size)
    {
        Flip(block);
        if (size > Word) Flip(block + size - Word);
        Bytes -= size;
        if (size < SizeClasses.Least) return;
        int sizeClass = SizeClasses.Within(size);
        _bytes[sizeClass] -= size;
        long next = Next(block), before = Before(block);
        if (next != 0) SetLink(next + Word, before);
        if (before != 0)
        {
            SetLink(before, next);
            return;
        }

        if ((_heads[sizeClass] = next) == 0) _used[sizeClass / 64] &= ~(1UL << (sizeClass % 64));
    }

    private int NextUsed(int sizeClass)
    {
        for (int c = sizeClass; c < SizeClasses.Count; c = (c | 63) + 1)
        {
            ulong rest = _used[c / 64] >> (c % 64);
            if (rest != 0) return c + BitOperations.TrailingZeroCount(rest);
        }

        return -1;
    }

    private static ulong Read(long word) => *(ulong*)word;

    private static long Next(long block) => (long)(Read(block) & LinkMask);

    private static long Before(long block) => (long)(Read(block + Word) & LinkMask);

    private static void SetLink(long word, long link) => *(ulong*)word = (Read(word) & ~LinkMask) | (ulong)link;

    private static long SizeOf(long block)
    {
        long words = (long)(Read(block) >> SizeShift);
        return (words == Long ? *(long*)(block + (2 * Word)) : words) * Word;
    }

    private static long SizeBefore(long end)
    {
        long words = (long)(Read(end - Word) >> SizeShift);
        return (words == Long ? *(long*)(end - (2 * Word)) : words) * Word;
    }

    private static void SetSize(long block, long size)
    {
        long words = size / Word;
        *(ulong*)block = *(ulong*)(block + size - Word) = (ulong)Math.Min(words, Long) << SizeShift;
        if (words >= Long) *(long*)(block + (2 * Word)) = *(long*)(block + size - (2 * Word)) = words;
    }

    private bool IsMarked(long word)
    {
        long bit = ((word - Start) / Word) + 1;
        return (((ulong*)_map.Pointer)[bit / 64] >> (int)(bit % 64) & 1) != 0;
    }

    private void Flip(long word)
    {
        long bit = ((word - Start) / Word) + 1;
        ((ulong*)_map.Pointer)[bit / 64] ^= 1UL << (int)(bit % 64);
    }
}
