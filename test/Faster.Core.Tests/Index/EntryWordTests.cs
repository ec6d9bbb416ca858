using Faster.Index;

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
        Assert.Equal(0x4000_0000_0000_0000UL, EntryWord.ReadCache);
        Assert.Equal(0x8000_0000_0000_0000UL, EntryWord.Tentative);
    }

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
