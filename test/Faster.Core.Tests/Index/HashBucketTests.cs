using Faster.Index;

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

    [Fact]
    public void Next_ignores_the_bits_of_the_latch()
    {
        HashBucket last = default, first = default;
        Assert.True(HashBucket.Next(&first) == null);
        first.Overflow = (ulong)&last | HashBucket.OverflowLatchMask | HashBucket.SharedTags;
        Assert.True(HashBucket.Next(&first) == &last);
    }
}
