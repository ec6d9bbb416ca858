using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Trimming;
using Faster.Log;

namespace Faster.Tests.Index.Trimming;

/// <summary>What a pass over the index gives back, on one thread.</summary>
public sealed unsafe class IndexTrimmerTests : IDisposable
{
    private const int Buckets = 4;

    private readonly EpochTable _epochs = new();
    private readonly HashIndex _index;
    private readonly IndexTrimmer _trimmer;

    public IndexTrimmerTests()
    {
        _index = new HashIndex(_epochs, Buckets);
        _trimmer = new IndexTrimmer(_index, _epochs, new StepWaits(_epochs));
    }

    [Fact]
    public void Buckets_of_dead_entries_go_from_the_end_up_to_one_with_a_live_entry()
    {
        Insert(bucket: 1, entries: 36, address: tag => tag == 16 ? 100 : 10); // 16 is in the third of six buckets
        Assert.Equal(5, _index.OverflowBuckets);
        Assert.Equal(0, Trim(begin: 10));
        Assert.Equal(3, Trim(begin: 11));
        Assert.Equal(2, _index.OverflowBuckets);
        Assert.True(Find(bucket: 1, tag: 16));
        Assert.False(Find(bucket: 1, tag: 15));
        Assert.Equal(2, Trim(begin: 101));
        Assert.Equal(0, _index.OverflowBuckets);
        Assert.Equal(0, Trim(begin: 101));
    }

    [Fact]
    public void A_chain_of_one_bucket_is_left_alone()
    {
        Insert(bucket: 2, entries: 7, address: _ => 10);
        Assert.Equal(0, Trim(begin: 11));
        Assert.True(Find(bucket: 2, tag: 3));
    }

    [Fact]
    public void Other_chains_use_what_was_given_back_and_no_more_memory_is_reserved()
    {
        Insert(bucket: 0, entries: 700, address: _ => 10);
        long bytes = _index.Bytes;
        Assert.Equal(99, Trim(begin: 11));
        Insert(bucket: 1, entries: 350, address: _ => 20);
        Insert(bucket: 2, entries: 350, address: _ => 20);
        Assert.Equal(98, _index.OverflowBuckets);
        Assert.Equal(bytes, _index.Bytes);
        for (uint tag = 0; tag < 350; tag++) Assert.True(Find(bucket: 1, tag) && Find(bucket: 2, tag));
    }

    [Fact]
    public void Where_tags_are_shared_a_chain_keeps_its_buckets()
    {
        Insert(bucket: 0, entries: 20, address: _ => 10);
        SharedTagChain.ShareTags(BucketOf(0));
        Assert.Equal(0, Trim(begin: 11));
        Assert.Equal(2, _index.OverflowBuckets);
    }

    [Fact]
    public void A_trim_does_not_wait_for_the_exclusion()
    {
        Insert(bucket: 0, entries: 20, address: _ => 10);
        _index.Exclusion.Wait();
        Assert.Equal(0, Trim(begin: 11));
        _index.Exclusion.Release();
        Assert.Equal(2, Trim(begin: 11));
        Assert.Equal(1, _index.Exclusion.CurrentCount);
    }

    [Fact]
    public void A_bucket_is_given_back_when_the_sessions_that_may_see_it_have_left()
    {
        Insert(bucket: 0, entries: 8, address: _ => 10);
        EpochSlot* reader = _epochs.Acquire("reader");
        _epochs.Enter(reader);
        HashBucket* last = HashBucket.Next(BucketOf(0));
        Task<long> run = _trimmer.RunAsync(begin: 11);
        Assert.False(run.IsCompleted);
        Assert.True(HashBucket.Next(BucketOf(0)) == null);
        Assert.True(HashBucket.IsClosed(last) && HashBucket.Next(last) == null);
        Insert(bucket: 1, entries: 8, address: _ => 20);
        Assert.True(HashBucket.Next(BucketOf(1)) != last);
        _epochs.Leave(reader);
        Assert.Equal(1, ResultOf(run));
        Insert(bucket: 2, entries: 8, address: _ => 20);
        Assert.True(HashBucket.Next(BucketOf(2)) == last);
        _epochs.Release(reader);
    }

    public void Dispose() => _index.Dispose();

    private long Trim(long begin) => ResultOf(_trimmer.RunAsync(begin));

    private static long ResultOf(Task<long> run) => run.GetAwaiter().GetResult();

    private void Insert(long bucket, uint entries, Func<uint, long> address)
    {
        for (uint tag = 0; tag < entries; tag++)
            Assert.True(_index.TryInsert(BucketOf(bucket), tag, address(tag)));
    }

    private bool Find(long bucket, uint tag) => HashIndex.Find(BucketOf(bucket), tag, out _) != null;

    private HashBucket* BucketOf(long number)
    {
        Assert.True(_index.TryLocate(HashesOf.Bucket(number, Buckets, 0), out BucketRef bucket));
        return bucket.Bucket;
    }
}
