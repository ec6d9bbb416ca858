using Faster.Checkpoints;
using Faster.Checkpoints.Index;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Resizing;
using Faster.Log.Records;
using Faster.Tests.Index;
using static Faster.Tests.Checkpoints.CommitRecords;

namespace Faster.Tests.Checkpoints.Index;

/// <summary>The buckets that a commit records: the most that the index had since its replay begins.</summary>
public sealed unsafe class BucketHistoryTests : IDisposable
{
    private readonly FakeStore _store = new(bucketCount: 24);
    private readonly EpochSlot* _driver;

    public BucketHistoryTests() => _driver = _store.Epochs.Acquire("driver");

    public void Dispose()
    {
        _store.Epochs.Release(_driver);
        _store.Dispose();
    }

    [Fact]
    public void Without_a_checkpoint_the_most_of_all_times_counts()
    {
        BucketHistory history = New(null);
        AssertIs(history, hasShrunk: false, hasCheckpoint: false, counts: false, 24);
        Resize(ResizeKind.Split);
        AssertIs(history, hasShrunk: false, hasCheckpoint: false, counts: false, 48);
        Resize(ResizeKind.Join);
        AssertIs(history, hasShrunk: true, hasCheckpoint: false, counts: false, 48);
        Resize(ResizeKind.Split);
        AssertIs(history, hasShrunk: false, hasCheckpoint: false, counts: false, 48);
    }

    [Fact]
    public void With_a_checkpoint_only_what_came_after_it_counts()
    {
        BucketHistory history = New(null);
        Resize(ResizeKind.Split);
        Resize(ResizeKind.Join);
        Checkpoint(history);
        AssertIs(history, hasShrunk: true, hasCheckpoint: true, counts: true, 24);
        Resize(ResizeKind.Split);
        AssertIs(history, hasShrunk: false, hasCheckpoint: false, counts: false, 48);
        Resize(ResizeKind.Join); // as large as in the checkpoint, but there was a larger one since
        AssertIs(history, hasShrunk: true, hasCheckpoint: false, counts: false, 48);
        Checkpoint(history);
        AssertIs(history, hasShrunk: true, hasCheckpoint: true, counts: true, 24);
    }

    [Fact]
    public void A_checkpoint_that_is_begun_or_dropped_makes_the_one_before_void()
    {
        BucketHistory history = New(null);
        Resize(ResizeKind.Split);
        Resize(ResizeKind.Join);
        Checkpoint(history);
        history.BeginCheckpoint();
        AssertIs(history, hasShrunk: true, hasCheckpoint: false, counts: false, 48);
        history.EndCheckpoint(24);
        AssertIs(history, hasShrunk: true, hasCheckpoint: true, counts: true, 24);
        history.DropCheckpoint();
        AssertIs(history, hasShrunk: true, hasCheckpoint: false, counts: false, 48);
    }

    [Fact]
    public void A_commit_without_a_checkpoint_says_the_most_of_all_times()
    {
        CommittedIndex index = Least(1).Index;
        AssertIs(New(index with { BucketCount = 24 }), hasShrunk: false, hasCheckpoint: false, counts: false, 24);
        AssertIs(New(index with { BucketCount = 96 }), hasShrunk: true, hasCheckpoint: false, counts: false, 96);
    }

    [Fact]
    public void Of_the_time_before_a_checkpoint_that_was_recovered_nothing_is_known()
    {
        BucketHistory history = New(Full(2).Index with { BucketCount = 24 });
        AssertIs(history, hasShrunk: true, hasCheckpoint: true, counts: true, 24);
        history.DropCheckpoint();
        AssertIs(history, hasShrunk: true, hasCheckpoint: false, counts: false, HashBits.MaxBucketCount);
    }

    private BucketHistory New(CommittedIndex? recovered) => new(_store.Index, recovered);

    private void Resize(ResizeKind kind)
    {
        Assert.True(_store.TryStart(kind));
        _store.Drive(_driver);
    }

    private void Checkpoint(BucketHistory history)
    {
        history.BeginCheckpoint();
        history.EndCheckpoint(_store.Index.BucketCount);
    }

    private static void AssertIs(BucketHistory history, bool hasShrunk, bool hasCheckpoint, bool counts, long buckets)
    {
        Assert.Equal((hasShrunk, hasCheckpoint), (history.HasShrunk, history.HasCheckpoint));
        Assert.Equal(counts, history.Conclude(out long recorded));
        Assert.Equal(buckets, recorded);
    }
}
