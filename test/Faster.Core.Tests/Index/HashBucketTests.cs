using Faster.Index;
using Faster.Log.Records;

namespace Faster.Tests.Index;

public sealed unsafe class HashBucketTests
{
    [Fact]
    public void A_bucket_is_a_cache_line_with_the_overflow_word_last()
    {
        HashBucket bucket = default;
        Assert.Equal(64, sizeof(HashBucket));
        Assert.Equal(7 * sizeof(ulong), (byte*)&bucket.Overflow - (byte*)&bucket);
    }

    [Fact]
    public void Match_sees_each_slot_and_never_the_overflow_word()
    {
        for (int i = 0; i < HashBucket.EntryCount; i++)
        {
            HashBucket bucket = default;
            bucket.Overflow = EntryWord.Of(9, 123);
            bucket.Entries[i] = EntryWord.Of(9, 123);
            uint match = HashBucket.Match(&bucket, 9UL << EntryWord.TagShift, EntryWord.TagMask);
            Assert.Equal(1u << i, match);
            Assert.True(HashBucket.FirstSlot(&bucket, match) == &bucket.Entries[i]);
        }
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(9u)]
    [InlineData((1u << HashBits.TagBits) - 1)]
    public void MatchFinal_sees_final_entries_of_the_log_and_never_the_overflow_word(uint tag)
    {
        for (int i = 0; i < HashBucket.EntryCount; i++)
        {
            HashBucket bucket = default;
            for (int j = 0; j < HashBucket.EntryCount; j++) bucket.Entries[j] = EntryWord.Of(5, 123);
            bucket.Overflow = EntryWord.Of(tag, 123);
            Assert.Equal(0u, HashBucket.MatchFinal(&bucket, tag));
            bucket.Entries[i] = EntryWord.Of(tag, 123);
            Assert.Equal(1u << i, HashBucket.MatchFinal(&bucket, tag));
            bucket.Entries[i] |= EntryWord.Tentative;
            Assert.Equal(0u, HashBucket.MatchFinal(&bucket, tag));
            bucket.Entries[i] = EntryWord.Of(tag, 123) | EntryWord.ReadCache;
            Assert.Equal(0u, HashBucket.MatchFinal(&bucket, tag));
        }
    }

    [Fact]
    public void Next_ignores_the_bits_of_the_latch()
    {
        HashBucket last = default, first = default;
        Assert.True(HashBucket.Next(&first) == null);
        first.Overflow = (ulong)&last | HashBucket.OverflowLatchMask | HashBucket.SharedTags;
        Assert.True(HashBucket.Next(&first) == &last);
    }
}
