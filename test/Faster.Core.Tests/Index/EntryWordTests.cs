using Faster.Index;
using Faster.Log.Records;

namespace Faster.Tests.Index;

public sealed class EntryWordTests
{
    [Fact]
    public void Fields_cover_the_word_without_overlap()
    {
        ulong[] fields = [EntryWord.AddressMask, EntryWord.TagMask, EntryWord.ReadCache, EntryWord.Tentative];
        Assert.Equal(ulong.MaxValue, fields.Aggregate(0UL, (all, field) => all | field));
        Assert.Equal(64, fields.Sum(field => (int)ulong.PopCount(field)));
    }

    [Fact]
    public void The_bits_are_those_of_the_format()
    {
        Assert.Equal(0x0000_FFFF_FFFF_FFFFUL, EntryWord.AddressMask);
        Assert.Equal(0x3FFF_0000_0000_0000UL, EntryWord.TagMask);
        Assert.Equal(0x4000_0000_0000_0000UL, EntryWord.Tentative);
        Assert.Equal(0x8000_0000_0000_0000UL, EntryWord.ReadCache);
    }

    [Fact]
    public void An_address_of_the_read_cache_is_negative_and_so_below_every_marker_of_the_log()
    {
        long address = EntryWord.OfCache(4096);
        Assert.True(address < 0);
        Assert.True(address < EntryWord.OfCache(4104));
        ulong word = EntryWord.WithAddress(EntryWord.Of(5, 77), address);
        Assert.Equal(EntryWord.Of(5, 4096) | EntryWord.ReadCache, word);
        Assert.Equal(address, EntryWord.AddressOf(word));
        Assert.Equal(EntryWord.Of(5, 77), EntryWord.WithAddress(word, 77));
    }

    [Theory]
    [InlineData(0UL)]
    [InlineData(ulong.MaxValue)]
    [InlineData(0x8000_0000_0000_0001UL)]
    [InlineData(0x1234_5678_9ABC_DEF0UL)]
    public void The_pattern_of_a_hash_is_its_tag_in_place(ulong hash) =>
        Assert.Equal((ulong)HashBits.TagOf(hash) << EntryWord.TagShift, EntryWord.PatternOf(hash));

    [Theory]
    [InlineData(0u, 1L)]
    [InlineData(0x3FFFu, (1L << 48) - 1)]
    public void Address_and_tag_come_back(uint tag, long address)
    {
        ulong word = EntryWord.Of(tag, address);
        Assert.Equal(address, EntryWord.AddressOf(word));
        Assert.Equal(tag, (uint)((word & EntryWord.TagMask) >> EntryWord.TagShift));
        Assert.Equal(EntryWord.Of(tag, 77), EntryWord.WithAddress(word | EntryWord.Tentative, 77));
    }
}
