using Faster.Contracts;
using Faster.Index;
using Faster.Probes;
using Faster.Tests.Scheduling;
using static Faster.Tests.Index.IndexExploration;

namespace Faster.Tests.Index.Trimming;

/// <summary>
/// Overflow buckets that are given back beside operations, under a controlled scheduler: clean as it is, and each
/// seeded bug found.
/// </summary>
public sealed unsafe class TrimScheduleTests
{
    [Fact]
    public void Buckets_are_given_back_beside_operations_and_nothing_is_lost()
    {
        Explorer.Run(Options, TrimBesideInserts).AssertClean();
        Explorer.Run(Options, TrimBesideOtherChain).AssertClean();
        Explorer.Run(Options, TrimBesideRival).AssertClean();
        Explorer.Run(Options, TrimBesideSharing).AssertClean();
    }

    [Fact]
    public void Buckets_are_given_back_in_every_schedule_of_one_preemption()
    {
        Explorer.AssertAllClean(TrimBesideInserts, preemptions: 1);
        Explorer.AssertAllClean(TrimBesideOtherChain, preemptions: 1);
        Explorer.AssertAllClean(TrimBesideRival, preemptions: 1);
        Explorer.AssertAllClean(TrimBesideSharing, preemptions: 1);
    }

    [Theory]
    [InlineData(nameof(SeededBug.BucketSlotsStayOpen))]
    [InlineData(nameof(SeededBug.BucketEndStaysOpen))]
    public void A_bucket_that_is_not_closed_is_found_out(string bug) => AssertFound(bug, TrimBesideInserts);

    [Fact]
    public void A_bucket_that_is_reused_at_once_is_found_out() =>
        AssertFound(nameof(SeededBug.BucketFreedWithoutEpoch), TrimBesideOtherChain);

    [Fact]
    public void A_closed_slot_that_an_insert_clears_is_found_out() =>
        AssertFound(nameof(SeededBug.ClosedSlotIsRival), TrimBesideRival);

    // A full bucket, and an empty one behind it that two inserts want. A third insert finds a slot before it.
    private static Scenario TrimBesideInserts()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64);
        FakeSession one = new(store), two = new(store), trimmer = new(store);
        ulong[] kept = FillOneAndEmptyNext(store, trimmer, bucket: 0, buckets: 1);
        ulong a = Key(20, 1), b = Key(21, 1), c = Key(20, 2);
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(a));
                    Assert.True(one.Contains(a));
                },
                () =>
                {
                    Assert.True(two.Add(b));
                    Assert.True(two.Remove(kept[3]));
                    Assert.True(two.Add(c));
                    Assert.True(two.Contains(b));
                },
                () => trimmer.Trim(new ScheduledWaits(store.Epochs)),
            ],
            () => Check(store, [one, two, trimmer], [.. kept.Where(key => key != kept[3]), a, b, c]));
    }

    // Another chain takes the bucket that is given back.
    private static Scenario TrimBesideOtherChain()
    {
        var store = new FakeStore(bucketCount: 2, capacity: 64);
        FakeSession one = new(store), other = new(store), trimmer = new(store);
        ulong[] kept = FillOneAndEmptyNext(store, trimmer, bucket: 0, buckets: 2);
        ulong[] others = [.. Enumerable.Range(0, HashBucket.EntryCount).Select(i => Of(1, 2, (uint)i, 1))];
        foreach (ulong key in others) Assert.True(trimmer.Add(key));
        ulong a = Of(0, 2, 20, 1), b = Of(1, 2, 20, 1), c = Of(1, 2, 21, 1);
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(a));
                    Assert.True(one.Contains(a));
                },
                () =>
                {
                    trimmer.Trim(new ScheduledWaits(store.Epochs));
                    Assert.True(trimmer.Add(b));
                    Assert.True(trimmer.Contains(b));
                },
                () => Assert.True(other.Add(c)),
            ],
            () => Check(store, [one, other, trimmer], [.. kept, .. others, a, b, c]));
    }

    // An insert of tag 0, which a closed slot has too, looks for rivals beside an insert that wants the slot.
    private static Scenario TrimBesideRival()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64);
        FakeSession one = new(store), two = new(store), trimmer = new(store);
        ulong[] kept = FillOneAndEmptyNext(store, trimmer, bucket: 0, buckets: 1);
        Assert.True(trimmer.Remove(kept[2]));
        ulong a = Key(0, 1), b = Key(21, 1);
        return new Scenario(
            [
                () => Assert.True(one.Add(a)),
                () =>
                {
                    Assert.True(two.Add(b));
                    Assert.True(two.Contains(b));
                },
                () => trimmer.Trim(new ScheduledWaits(store.Epochs)),
            ],
            () => Check(store, [one, two, trimmer], [.. kept.Where(key => key != kept[2]), a, b]));
    }

    // The chain begins to share tags: there is no memory when the bucket is closed.
    private static Scenario TrimBesideSharing()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64);
        FakeSession one = new(store), two = new(store), trimmer = new(store);
        ulong[] kept = FillOneAndEmptyNext(store, trimmer, bucket: 0, buckets: 1);
        while (store.Index.State.Table.Pool.TryTake() != null) { } // no more memory
        store.Index.ByteLimit = 0;
        ulong a = Key(20, 1), b = Key(21, 1), gone = Key(22, 1);
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(a));
                    Assert.False(one.Contains(gone));
                },
                () =>
                {
                    Assert.True(two.Add(b));
                    Assert.True(two.Contains(a) || two.Contains(b));
                },
                () => trimmer.Trim(new ScheduledWaits(store.Epochs)),
            ],
            () => Check(store, [one, two, trimmer], [.. kept, a, b]));
    }

    // Seven keys in a bucket; the overflow bucket behind it has held an eighth.
    private static ulong[] FillOneAndEmptyNext(FakeStore store, FakeSession setup, long bucket, long buckets)
    {
        ulong[] kept = [.. Enumerable.Range(0, HashBucket.EntryCount).Select(i => Of(bucket, buckets, 1 + (uint)i, 1))];
        foreach (ulong key in kept) Assert.True(setup.Add(key));
        ulong eighth = Of(bucket, buckets, 10, 1);
        Assert.True(setup.Add(eighth));
        Assert.True(setup.Remove(eighth));
        Assert.Equal(1, store.Index.OverflowBuckets);
        return kept;
    }

    private static ulong Key(uint tag, ulong number) => Of(0, 1, tag, number);

    private static ulong Of(long bucket, long buckets, uint tag, ulong number) =>
        HashesOf.Bucket(bucket, buckets, tag, number);
}
