using Faster.Log.Records;

namespace Faster.Tests.Index;

public sealed class HashBitsTests
{
    public static TheoryData<long> Counts =>
        [1, 2, 3, 7, 1000, (1L << 31) + 1, 3L << 30, 1L << 40, HashBits.MaxBucketCount];

    [Theory]
    [MemberData(nameof(Counts))]
    public void Buckets_lie_within_the_index_from_the_first_to_the_last(long count)
    {
        Assert.Equal(0, HashBits.BucketOf(0, count));
        Assert.Equal(count - 1, HashBits.BucketOf(ulong.MaxValue, count));
        Assert.All(Hashes(), hash => Assert.InRange(HashBits.BucketOf(hash, count), 0, count - 1));
    }

    [Theory]
    [MemberData(nameof(Counts))]
    public void The_tag_has_no_say_in_the_bucket_nor_the_other_bits_in_the_tag(long count)
    {
        foreach (ulong hash in Hashes())
        {
            ulong otherTag = hash ^ (0x3FFFUL << 50), otherRest = hash ^ ((1UL << 50) - 1);
            Assert.Equal(HashBits.BucketOf(hash, count), HashBits.BucketOf(otherTag, count));
            Assert.Equal(HashBits.TagOf(hash), HashBits.TagOf(otherRest));
            Assert.Equal(HashBits.TagOf(hash) ^ 0x3FFF, HashBits.TagOf(otherTag));
        }
    }

    [Theory]
    [MemberData(nameof(Counts))]
    public void A_hash_is_made_of_a_bucket_and_a_tag(long count)
    {
        foreach (ulong hash in Hashes())
        {
            long bucket = HashBits.BucketOf(hash, count);
            ulong made = HashBits.HashOf(bucket, count, HashBits.TagOf(hash));
            Assert.Equal((bucket, HashBits.TagOf(hash)), (HashBits.BucketOf(made, count), HashBits.TagOf(made)));
            if (count % 2 == 0) Assert.Equal(bucket / 2, HashBits.BucketOf(made, count / 2));
        }
    }

    [Theory]
    [MemberData(nameof(Counts))]
    public void Doubling_sends_a_bucket_to_its_two_children(long count)
    {
        if (count == HashBits.MaxBucketCount) return;
        foreach (ulong hash in Hashes())
            Assert.Equal(HashBits.BucketOf(hash, count), HashBits.BucketOf(hash, 2 * count) / 2);
    }

    [Fact]
    public void Buckets_past_2_to_the_31_are_told_apart()
    {
        long count = 1L << 40;
        for (long bucket = 0; bucket < count; bucket += (count / 1000) + 1)
            Assert.Equal(bucket, HashBits.BucketOf(HashesOf.Bucket(bucket, count, tag: 5), count));
    }

    [Fact]
    public void Random_hashes_fill_buckets_evenly_at_a_size_that_is_no_power_of_two()
    {
        int[] seen = new int[12];
        foreach (ulong hash in Hashes(count: 12_000)) seen[HashBits.BucketOf(hash, seen.Length)]++;
        Assert.All(seen, n => Assert.InRange(n, 800, 1200));
    }

    private static IEnumerable<ulong> Hashes(int count = 200)
    {
        var random = new Random(1);
        for (int i = 0; i < count; i++) yield return (ulong)random.NextInt64(long.MinValue, long.MaxValue);
    }
}
