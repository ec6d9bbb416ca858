using Faster.HashChunks;
using Faster.Index;

namespace Faster.Tests.HashChunks;

/// <summary>The slots of a chunk: who has one, who shares one, and what a copy keeps.</summary>
public sealed unsafe class HashChunkTests
{
    private const int Capacity = 4;

    [Fact]
    public void A_tag_takes_the_first_free_slot_and_keeps_it()
    {
        ulong* words = stackalloc ulong[Capacity];
        foreach (uint tag in (uint[])[9, 3])
        {
            int slot = HashChunk.Search(words, Capacity, tag, out ulong word);
            Assert.Equal(0UL, word);
            words[slot] = HashChunk.WordOf(tag, 100 + tag);
        }

        Assert.Equal(0, HashChunk.Search(words, Capacity, 9, out ulong found));
        Assert.Equal(109, EntryWord.AddressOf(found));
        Assert.Equal(1, HashChunk.Search(words, Capacity, 3, out _));
        Assert.Equal(2, HashChunk.Search(words, Capacity, 4, out found));
        Assert.Equal(0UL, found);
    }

    [Theory]
    [InlineData(5u, 10u)]
    [InlineData(11u, 20u)]
    [InlineData(31u, 40u)]
    [InlineData(41u, 10u)] // cyclically
    public void In_a_full_chunk_a_tag_without_a_slot_shares_that_of_the_next_larger_one(uint tag, uint shared)
    {
        ulong* words = stackalloc ulong[Capacity];
        for (int i = 0; i < Capacity; i++) words[i] = HashChunk.WordOf(10 * (uint)(Capacity - i), 100);
        _ = HashChunk.Search(words, Capacity, tag, out ulong word);
        Assert.Equal(shared, HashChunk.TagOf(word));
    }

    [Fact]
    public void A_copy_drops_what_leads_below_begin()
    {
        ulong* words = stackalloc ulong[Capacity], copy = stackalloc ulong[Capacity];
        words[0] = HashChunk.WordOf(1, 100);
        words[1] = HashChunk.WordOf(2, 200);
        words[2] = HashChunk.WordOf(3, 0);
        Assert.Equal(1, HashChunk.CopyLive(words, copy, Capacity, begin: 150));
        Assert.Equal(
            [HashChunk.WordOf(2, 200), 0, 0, 0], new ReadOnlySpan<ulong>(copy, Capacity).ToArray());
    }

    [Fact]
    public void A_copy_of_a_full_chunk_keeps_the_tags_that_keys_share()
    {
        ulong* words = stackalloc ulong[Capacity], copy = stackalloc ulong[Capacity];
        for (uint i = 0; i < Capacity; i++) words[i] = HashChunk.WordOf(10 * (i + 1), 100 * (i + 1));
        Assert.Equal(1, HashChunk.CopyLive(words, copy, Capacity, begin: 400));
        for (uint tag = 0; tag < 50; tag++)
            Assert.Equal(
                HashChunk.Search(words, Capacity, tag, out _), HashChunk.Search(copy, Capacity, tag, out _));
        Assert.Equal(0, HashChunk.CopyLive(words, copy, Capacity, begin: 500));
        Assert.Equal(0UL, copy[0]);
    }
}
