using Faster.Contracts;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Probes;
using Faster.Tests.Scheduling;
using static Faster.Tests.Index.IndexExploration;

namespace Faster.Tests.Index.Resizing;

/// <summary>Shrinking beside operations under a controlled scheduler, and each seeded bug found.</summary>
public sealed class ShrinkScheduleTests
{
    [Fact]
    public void Shrinking_loses_nothing_and_doubles_nothing_beside_operations()
    {
        Explorer.Run(Options, ShrinkBesideOperations).AssertClean();
        Explorer.Run(Options, ShrinkWithoutRoom).AssertClean();
        Explorer.Run(Options, ShrinkThenGrow).AssertClean();
    }

    [Fact]
    public void Shrinking_survives_every_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(ShrinkBesideOperations, preemptions: 1);

    [Fact]
    public void Overflow_buckets_that_are_linked_meanwhile_are_merged_too_and_none_is_frozen() =>
        Explorer.Run(Options, OverflowWhileShrinking).AssertClean();

    [Theory]
    [InlineData(nameof(SeededBug.SplitIgnoresPins))]
    [InlineData(nameof(SeededBug.ResizeWithoutEpoch))]
    [InlineData(nameof(SeededBug.JoinDropsSide))]
    public void A_weaker_shrinking_is_found_out(string bug) => AssertFound(bug, ShrinkBesideOperations);

    [Fact]
    public void A_chunk_that_takes_operations_when_merged_in_part_is_found_out() =>
        AssertFound(nameof(SeededBug.InterruptedIsFree), ShrinkWithoutRoom);

    [Fact]
    public void A_merge_of_frozen_chains_is_found_out() =>
        AssertFound(nameof(SeededBug.JoinIgnoresSharing), OverflowWhileShrinking);

    private static Scenario ShrinkBesideOperations() => Operate(noRoomEvery: 0, thenGrow: false);

    private static Scenario ShrinkWithoutRoom() => Operate(noRoomEvery: 2, thenGrow: false);

    private static Scenario ShrinkThenGrow() => Operate(noRoomEvery: 0, thenGrow: true);

    // Four buckets, two tags: one on both sides of each pair, one on a side of its own.
    private static Scenario Operate(int noRoomEvery, bool thenGrow)
    {
        var store = new FakeStore(bucketCount: 4, capacity: 64) { FailsEvery = noRoomEvery };
        FakeSession setup = new(store), one = new(store), two = new(store), driver = new(store);
        ulong[] kept = [Of(0, 6, 1), Of(1, 6, 1), Of(2, 6, 1), Of(3, 6, 1), Of(1, 9, 1)];
        ulong removed = Of(1, 6, 2), added = Of(0, 6, 3), other = Of(1, 6, 4), lone = Of(0, 9, 2);
        foreach (ulong key in kept) setup.Add(key);
        setup.Add(removed);
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(added));
                    Assert.True(one.Contains(added));
                    Assert.True(one.Contains(kept[1]));
                },
                () =>
                {
                    Assert.True(two.Remove(removed));
                    Assert.True(two.Add(other));
                    Assert.False(two.Contains(removed));
                    Assert.True(two.Add(lone));
                },
                () =>
                {
                    driver.Resize(ResizeKind.Join);
                    if (thenGrow) driver.Resize(ResizeKind.Split);
                },
            ],
            () => Check(store, [setup, one, two, driver], [.. kept, added, other, lone]));
    }

    // A bucket is full, and the limit leaves memory for the halving or for an overflow bucket, not for both.
    private static Scenario OverflowWhileShrinking()
    {
        var store = new FakeStore(bucketCount: 2, capacity: 64);
        FakeSession setup = new(store), one = new(store), two = new(store), driver = new(store);
        ulong[] kept =
        [
            .. Enumerable.Range(0, HashBucket.EntryCount).Select(i => HashesOf.Bucket(0, 2, tag: 10 + (uint)i, 1)),
            HashesOf.Bucket(1, 2, tag: 12, 1),
            HashesOf.Bucket(1, 2, tag: 30, 1),
        ];
        foreach (ulong key in kept) setup.Add(key);
        store.Index.ByteLimit = store.Index.BytesTo(ResizeKind.Join);
        ulong a = HashesOf.Bucket(0, 2, tag: 30, 2), b = HashesOf.Bucket(0, 2, tag: 31, 2);
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
                    Assert.True(two.Contains(kept[3]));
                },
                () =>
                {
                    if (store.TryStart(ResizeKind.Join)) driver.Drive();
                },
            ],
            () => Check(store, [setup, one, two, driver], [.. kept, a, b]));
    }

    private static ulong Of(long bucket, uint tag, ulong number) => HashesOf.Bucket(bucket, 4, tag, number);
}
