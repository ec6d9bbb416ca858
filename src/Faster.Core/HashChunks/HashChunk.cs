using Faster.Index;
using Faster.Log.Records;

namespace Faster.HashChunks;

/// <summary>
/// The entries of a hash chunk (paper 003 §6): a power of two of words, in a record of the chunk log or in a copy of
/// one.
/// </summary>
/// <remarks>
/// <para>A word is an <see cref="EntryWord"/> with the bit <see cref="Taken"/>. The word 0 is a free slot; a taken slot
/// without an address is vacant: its tag has no entry now.</para>
/// <para>Invariants, for as long as a chunk is changed in place:</para>
/// <list type="bullet">
/// <item>Taken slots come before free ones: only the first free slot is taken, by compare-and-swap from 0.</item>
/// <item>A taken slot stays taken and keeps its tag; no two have the same one.</item>
/// <item>The slot of a tag is the one that has it. In a full chunk, a tag without a slot shares the slot of the next
/// larger tag, cyclically.</item>
/// </list>
/// <para>So one pass from the front finds the slot of a tag: all in front of a free slot are taken, with tags that do
/// not change any more, and nothing is behind it. A compare-and-swap of that slot from 0 therefore also proves that no
/// other thread has inserted the tag. A full chunk never changes its set of tags, so a key shares one slot for good.
///</para>
/// <para>Thread-safe: each word is read once, and pure functions.</para>
/// </remarks>
internal static unsafe class HashChunk
{
    /// <summary>The slot is taken; in the position of the tentative bit, which chunks have no use for.</summary>
    public const ulong Taken = EntryWord.Tentative;

    /// <summary>The smallest and the largest chunk in bytes.</summary>
    public const int MinBytes = 64, MaxBytes = 4096;

    private const uint TagLimit = 1U << HashBits.TagBits;

    /// <summary>The word of a tag with an address; 0 makes it vacant.</summary>
    public static ulong WordOf(uint tag, long address) => Taken | ((ulong)tag << EntryWord.TagShift) | (ulong)address;

    /// <summary>The tag of a taken slot.</summary>
    public static uint TagOf(ulong word) => (uint)(word >> EntryWord.TagShift) & (TagLimit - 1);

    /// <summary>The word as an operation sees it: 0 if it leads to no record from an address on.</summary>
    public static ulong Live(ulong word, long begin) => EntryWord.AddressOf(word) < begin ? 0 : word;

    /// <summary>Whether a word can lie in a chunk whose entries lead below an address.</summary>
    public static bool IsSound(ulong word, long limit) => word == 0
        || ((word & (Taken | EntryWord.ReadCache)) == Taken && EntryWord.AddressOf(word) < limit);

    /// <summary>Finds the slot of a tag: its own, the first free one, or in a full chunk the shared one.</summary>
    /// <param name="words">The chunk; other threads may be changing it.</param>
    /// <param name="capacity">Its number of slots.</param>
    /// <param name="tag">The tag.</param>
    /// <param name="word">What the slot holds; 0: it is free.</param>
    public static int Search(ulong* words, int capacity, uint tag, out ulong word)
    {
        int shared = 0;
        uint least = TagLimit;
        for (int slot = 0; slot < capacity; slot++)
        {
            word = Volatile.Read(ref words[slot]);
            if (word == 0) return slot;
            uint distance = (TagOf(word) - tag) & (TagLimit - 1);
            if (distance == 0) return slot;
            if (distance >= least) continue;
            (least, shared) = (distance, slot);
        }

        word = Volatile.Read(ref words[shared]);
        return shared;
    }

    /// <summary>The number of entries that lead to a record from an address on.</summary>
    public static int CountLive(ulong* words, int capacity, long begin)
    {
        int live = 0;
        for (int slot = 0; slot < capacity; slot++)
            if (Live(words[slot], begin) != 0) live++;
        return live;
    }

    /// <summary>
    /// Copies a chunk that does not change any more, without entries that lead below an address. A full chunk keeps
    /// its tags as long as one of its entries is live: keys without a slot share them.
    /// </summary>
    /// <returns>The number of live entries.</returns>
    public static int CopyLive(ulong* from, ulong* to, int capacity, long begin)
    {
        int live = CountLive(from, capacity, begin), copied = 0;
        bool isFull = from[capacity - 1] != 0 && live != 0;
        for (int slot = 0; slot < capacity; slot++)
        {
            ulong word = Live(from[slot], begin);
            if (word != 0) to[copied++] = word;
            else if (isFull) to[copied++] = WordOf(TagOf(from[slot]), 0);
        }

        new Span<ulong>(to + copied, capacity - copied).Clear();
        return live;
    }
}
