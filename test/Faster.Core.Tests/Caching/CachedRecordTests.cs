using Faster.Caching;
using Faster.Index;
using Faster.Log.Records;

namespace Faster.Tests.Caching;

public sealed unsafe class CachedRecordTests
{
    [Theory]
    [InlineData(64)]
    [InlineData((1L << 48) - 8)]
    public void A_header_leads_to_the_log_or_to_the_cache(long address)
    {
        foreach (long previous in new[] { address, EntryWord.OfCache(address) })
        {
            ulong header = CachedRecord.Make(previous, uses: 2, hasOwn: false);
            Assert.Equal(previous, CachedRecord.Previous(header));
            Assert.Equal(2, CachedRecord.Uses(header));
            Assert.False(CachedRecord.IsOwn(header));
            Assert.False(CachedRecord.IsInvalid(header));
            Assert.True(CachedRecord.IsInvalid(CachedRecord.AsInvalid(header)));
            header = CachedRecord.WithPrevious(header, 128);
            Assert.Equal((128, 2), (CachedRecord.Previous(header), CachedRecord.Uses(header)));
        }
    }

    [Fact]
    public void Reads_are_counted_up_to_the_most_and_change_nothing_else()
    {
        ulong* record = stackalloc ulong[2];
        *record = CachedRecord.Make(EntryWord.OfCache(4096), uses: 0, hasOwn: true);
        for (int read = 1; read <= CachedRecord.MaxUses + 2; read++)
        {
            CachedRecord.Touch((byte*)record, *record);
            Assert.Equal(Math.Min(read, CachedRecord.MaxUses), CachedRecord.Uses(*record));
            Assert.Equal(EntryWord.OfCache(4096), CachedRecord.Previous(*record));
        }
    }

    [Fact]
    public void A_record_stands_for_what_is_behind_it_unless_the_word_in_front_says_otherwise()
    {
        ulong* slot = stackalloc ulong[2];
        slot[0] = 640;
        Assert.True(CachedRecord.IsOwn(slot[0]));
        byte* record = (byte*)(slot + 1);
        Assert.Equal(640, CachedRecord.Own(record, CachedRecord.Make(EntryWord.OfCache(64), 0, hasOwn: true)));
        Assert.Equal(704, CachedRecord.Own(record, CachedRecord.Make(704, 0, hasOwn: false)));
    }

    [Fact]
    public void Log_and_cache_mean_the_same_by_an_invalid_record() =>
        Assert.True(CachedRecord.IsInvalid(RecordHeader.Invalid));
}
