using System.Numerics;
using Faster.Index;
using Faster.Invariants;
using Faster.Log.Records;

namespace Faster.HashChunks;

/// <summary>A hash chunk in few bytes: its taken slots, of which each has as many bits as the chunk needs.</summary>
/// <remarks>
/// <para>A taken slot is its tag, and its address as a multiple of 8 beside the lowest address of the chunk; 0 stands
/// for a vacant slot. With 24 slots that lead into a log of 1 GB a chunk of 256 bytes takes 136.</para>
/// <para>No state; thread-safe.</para>
/// </remarks>
internal static unsafe class PackedChunk
{
    private const int BaseShift = 16, CountShift = 6; // of the first word: bits of an address, slots, least address
    private const int AddressShift = 3, MaxAddressBits = EntryWord.TagShift - AddressShift + 1;
    private const ulong BitsMask = (1UL << CountShift) - 1;
    private const ulong CountMask = (1UL << (BaseShift - CountShift)) - 1;

    /// <summary>The most words that a chunk may take.</summary>
    /// <param name="capacity">The slots of a chunk.</param>
    public static int MaxWords(int capacity) => WordsFor(capacity, MaxAddressBits);

    /// <summary>The words of a number of slots.</summary>
    /// <param name="slots">The taken slots.</param>
    /// <param name="addressBits">The bits of an address.</param>
    public static int WordsFor(int slots, int addressBits) =>
        1 + (((slots * (addressBits + HashBits.TagBits)) + 63) / 64);

    /// <summary>The bits of an address in a chunk whose entries lead into a log of a size.</summary>
    public static int AddressBitsOf(long logBytes) => BitOperations.Log2((ulong)logBytes >> AddressShift) + 1;

    /// <summary>Packs a chunk that does not change any more.</summary>
    /// <param name="words">The chunk.</param>
    /// <param name="capacity">Its slots.</param>
    /// <param name="to">Space for <see cref="MaxWords"/>.</param>
    /// <returns>The number of words that it takes.</returns>
    public static int Pack(ulong* words, int capacity, ulong* to)
    {
        int count = 0;
        ulong least = ulong.MaxValue, most = 0;
        for (; count < capacity && words[count] != 0; count++)
        {
            var address = (ulong)EntryWord.AddressOf(words[count]);
            Invariant.DebugCheck((address & ((1 << AddressShift) - 1)) == 0, $"{address} is the address of a record");
            if (address == 0) continue;
            (least, most) = (Math.Min(least, address), Math.Max(most, address));
        }

        least = most == 0 ? 0 : least >> AddressShift;
        int bits = BitOperations.Log2((most >> AddressShift) - least + 1) + 1, length = WordsFor(count, bits);
        Invariant.Check(bits <= MaxAddressBits, $"entries of a chunk lead into a log: {least:x} to {most:x}");
        new Span<ulong>(to, length).Clear();
        to[0] = (least << BaseShift) | ((ulong)count << CountShift) | (uint)bits;
        for (int slot = 0, at = 0; slot < count; slot++, at += bits + HashBits.TagBits)
        {
            var address = (ulong)EntryWord.AddressOf(words[slot]);
            ulong packed = address == 0 ? 0 : (address >> AddressShift) - least + 1;
            Put(to + 1, at, packed | ((ulong)HashChunk.TagOf(words[slot]) << bits));
        }

        return length;
    }

    /// <summary>Unpacks a chunk.</summary>
    /// <param name="from">What was packed.</param>
    /// <param name="words">The chunk.</param>
    /// <param name="capacity">Its slots.</param>
    public static void Unpack(ulong* from, ulong* words, int capacity)
    {
        ulong least = from[0] >> BaseShift;
        int bits = (int)(from[0] & BitsMask), count = (int)((from[0] >> CountShift) & CountMask);
        Invariant.Check(
            count <= capacity && bits <= MaxAddressBits, $"a packed chunk is whole: {count} of {capacity}, {bits}");
        ulong addressMask = (1UL << bits) - 1, tagMask = (1UL << HashBits.TagBits) - 1;
        for (int slot = 0, at = 0; slot < count; slot++, at += bits + HashBits.TagBits)
        {
            ulong packed = Take(from + 1, at, bits + HashBits.TagBits), address = packed & addressMask;
            words[slot] = HashChunk.WordOf(
                (uint)((packed >> bits) & tagMask),
                address == 0 ? 0 : (long)((address - 1 + least) << AddressShift));
        }

        new Span<ulong>(words + count, capacity - count).Clear();
    }

    private static void Put(ulong* words, int at, ulong value)
    {
        int shift = at & 63;
        words[at >> 6] |= value << shift;
        if (shift != 0 && value >> (64 - shift) is var rest and not 0) words[(at >> 6) + 1] |= rest;
    }

    // What lies beyond the bits is not part of the value.
    private static ulong Take(ulong* words, int at, int bits)
    {
        int shift = at & 63;
        ulong value = words[at >> 6] >> shift;
        return shift + bits > 64 ? value | (words[(at >> 6) + 1] << (64 - shift)) : value;
    }
}
