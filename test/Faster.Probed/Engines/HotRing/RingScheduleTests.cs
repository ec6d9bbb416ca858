using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.HotRing;

/// <summary>
/// Every pair of steps in one ring under controlled schedules (paper 002, Fig. 8): updates by copy, insertions,
/// deletions, and movements of the head, of neighbors and of the same item.
/// </summary>
public sealed class RingScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    [Theory]
    [InlineData("update", "insert")]
    [InlineData("update", "update")]
    [InlineData("update", "update before")]
    [InlineData("update", "delete")]
    [InlineData("update", "delete before")]
    [InlineData("update", "move")]
    [InlineData("update", "read")]
    [InlineData("insert", "insert")]
    [InlineData("insert", "delete")]
    [InlineData("insert", "move")]
    [InlineData("delete", "delete")]
    [InlineData("delete", "delete before")]
    [InlineData("delete", "move")]
    [InlineData("delete", "read")]
    [InlineData("move", "move")]
    [InlineData("update", "rehash")]
    [InlineData("insert", "rehash")]
    [InlineData("delete", "rehash")]
    [InlineData("delete before", "rehash")]
    [InlineData("read", "rehash")]
    [InlineData("move", "rehash")]
    [InlineData("scan", "update")]
    [InlineData("scan", "update before")]
    [InlineData("scan", "insert")]
    [InlineData("scan", "delete")]
    [InlineData("scan", "delete before")]
    [InlineData("scan", "move")]
    [InlineData("scan", "rehash")]
    public void Two_steps_beside_each_other_are_right(string first, string second)
    {
        Explorer.Run(Options, () => Pair<PairShape>(first, second)).AssertClean();
        Explorer.Run(Options, () => Pair<SwapShape>(first, second)).AssertClean();
    }

    [Fact]
    public void A_ring_is_emptied_and_filled_beside_readers() => Explorer.Run(Options, EmptyAndFill).AssertClean();

    [Fact]
    public void Everything_happens_in_one_ring_at_once() => Explorer.Run(Options, Everything).AssertClean();

    [Fact]
    public void An_update_that_does_not_occupy_its_item_loses_an_insertion() =>
        AssertFound(SeededBug.UpdateWithoutOccupied, () => Pair<PairShape>("update", "insert"), "Lost");

    [Fact]
    public void A_deletion_that_does_not_occupy_its_item_loses_an_insertion() =>
        AssertFound(SeededBug.DeletionWithoutOccupied, () => Pair<PairShape>("delete", "insert"), "Lost");

    [Fact]
    public void An_item_unlinked_under_its_head_is_found() =>
        AssertFound(
            SeededBug.UnlinkIgnoresHead, () => Pair<PairShape>("delete before", "insert"), "occupied item is left");

    [Fact]
    public void A_head_moved_to_an_item_that_is_being_unlinked_is_found() =>
        AssertFound(
            SeededBug.MoveIgnoresOccupied, () => Pair<PairShape>("delete", "move once"), "occupied item is left");

    [Fact]
    public void A_movement_that_outlives_the_unlinking_of_its_item_is_found() =>
        AssertFound(
            SeededBug.UnlinkKeepsMovement, () => Pair<PairShape>("delete", "move once"), "occupied item is left");

    [Fact]
    public void A_scan_that_goes_on_from_an_occupied_item_is_found() =>
        AssertFound(SeededBug.ScanIgnoresOccupied, () => Pair<PairShape>("scan", "update"), "Lost");

    [Fact]
    public void Rings_parted_under_operations_of_the_old_table_are_found() =>
        AssertFound(SeededBug.SplitRingsAtOnce, () => Pair<PairShape>("read", "rehash"), "Assert", "Lost", "Livelock");

    [Fact]
    public void Nothing_is_lost_in_a_half_whose_head_moves() => Explorer.Run(Options, MoveAndSplit).AssertClean();

    [Fact]
    public void A_head_moved_while_its_ring_is_split_is_found() =>
        AssertFound(SeededBug.MoveLeavesRehashItem, MoveAndSplit, "Lost");

    [Fact]
    public void Rehash_items_used_again_under_a_reader_are_found() =>
        AssertFound(
            SeededBug.RehashItemsReusedAtOnce, () => Pair<PairShape>("read", "rehash"),
            "Lost", "Assert.Equal", "NullReference");

    [Fact]
    public void Two_rehashes_one_after_the_other_share_nothing() =>
        Explorer.Run(Options with { StepLimit = 200_000 }, TwoRehashes).AssertClean();

    [Fact]
    public void A_rehash_that_begins_before_the_last_one_has_ended_is_found() =>
        AssertFound(SeededBug.RehashEndsEarly, TwoRehashes, "a rehash alone sets the limit", "Assert.Null");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 5000 }, scenario).AssertFound(how);

    // Keys 10, 20, 40 of one ring; 32 is where a rehash splits it. The steps are of 20 or of what is next to it.
    private static Scenario Pair<TShape>(string first, string second)
        where TShape : struct, IShape
    {
        var rings = new ScheduledRings<TShape>(2, [10, 20, 40], interval: 1);
        var sums = new Dictionary<long, long> { [10] = 10_000, [20] = 20_000, [40] = 40_000 };
        int removed = 0;
        void Step(int session, string step)
        {
            switch (step)
            {
                case "insert":
                    rings.Put(session, 25 + session, 1);
                    sums[25 + session] = 1;
                    break;
                case "update":
                    bool isNew = rings.Add(session, 20, 1) == Status.Created;
                    sums[20] = (isNew ? 0 : sums.GetValueOrDefault(20)) + 1;
                    break;
                case "update before":
                    _ = rings.Add(session, 10, 1);
                    sums[10]++;
                    break;
                case "delete":
                    if (rings.Remove(session, 20) == Status.Ok) removed++;
                    break;
                case "delete before":
                    Assert.Equal(Status.Ok, rings.Remove(session, 10));
                    sums.Remove(10);
                    break;
                case "scan":
                    AssertScan(rings.Scan(session), second);
                    break;
                case "move":
                    _ = rings.Get(session, 20);
                    _ = rings.Get(session, 40);
                    break;
                case "move once":
                    _ = rings.Get(session, 20);
                    break;
                case "read":
                    Assert.Equal(40_000, rings.Get(session, 40));
                    Assert.InRange(rings.Get(session, 20) ?? 20_000, 20_000, 20_001);
                    break;
                case "rehash":
                    rings.Rehash();
                    break;
            }
        }

        return new Scenario([() => Step(0, first), () => Step(1, second)], () =>
        {
            _ = RingCheck.Keys(rings.Store); // first: a read would move a head that is left behind
            if (removed != 0)
            {
                Assert.Equal(1, removed);
                long? left = rings.Get(0, 20);
                if (left is null) sums.Remove(20);
                else Assert.Equal(1, sums[20] = left.Value);
            }

            foreach (long key in sums.Keys) Assert.True(rings.Get(0, key) is not null, $"Lost: {key}");
            rings.Check([.. sums.Select(static pair => (pair.Key, pair.Value))]);
        });
    }

    // Between the two swaps that part the ring, a walk from 40 on goes into the lower half and misses 35.
    private static Scenario MoveAndSplit()
    {
        var rings = new ScheduledRings<PairShape>(1, [10, 20, 35, 40], interval: 1);
        void Read()
        {
            for (int round = 0; round < 50; round++)
                foreach (long key in (long[])[40, 35])
                    Assert.True(rings.Get(0, key) == key * 1000, $"Lost: {key}");
        }

        return new Scenario(
            [Read, rings.Rehash], () => rings.Check((10, 10_000), (20, 20_000), (35, 35_000), (40, 40_000)));
    }

    // Each thread doubles the index as soon as it may.
    private static Scenario TwoRehashes()
    {
        var rings = new ScheduledRings<PairShape>(1, [10, 20, 40]);
        void Rehash()
        {
            while (!rings.TryRehash()) Probe.Wait(() => !rings.Store.Index.IsRehashing);
        }

        return new Scenario([Rehash, Rehash], () =>
        {
            Assert.Equal(6, rings.Store.Index.Bits);
            rings.Check((10, 10_000), (20, 20_000), (40, 40_000));
        });
    }

    private static void AssertScan(List<long> keys, string beside)
    {
        Assert.Equal(keys.Order(), keys);
        Assert.Equal(keys.Count, keys.Distinct().Count());
        foreach (long key in (long[])[10, 20, 40])
        {
            bool mayGo = (beside == "delete" && key == 20) || (beside == "delete before" && key == 10);
            Assert.True(mayGo || keys.Contains(key), $"Lost {key} of {string.Join(", ", keys)}");
        }
    }

    private static Scenario EmptyAndFill()
    {
        var rings = new ScheduledRings<PairShape>(3, [10, 20], interval: 1);
        return new Scenario(
            [
                () =>
                {
                    Assert.Equal(Status.Ok, rings.Remove(0, 10));
                    rings.Put(0, 30, 30_000);
                },
                () => Assert.Equal(Status.Ok, rings.Remove(1, 20)),
                () =>
                {
                    Assert.Equal(10_000, rings.Get(2, 10) ?? 10_000);
                    Assert.Equal(20_000, rings.Get(2, 20) ?? 20_000);
                },
            ],
            () => rings.Check((30, 30_000)));
    }

    // Two keys of one hash among them.
    private static Scenario Everything()
    {
        var rings = new ScheduledRings<PairShape>(4, [10, 20, 100, 101], HotspotStrategy.StatisticalSampling, 1);
        return new Scenario(
            [
                () =>
                {
                    _ = rings.Add(0, 100, 1);
                    _ = rings.Add(0, 20, 1);
                },
                () =>
                {
                    _ = rings.Add(1, 100, 1);
                    Assert.Equal(Status.Ok, rings.Remove(1, 10));
                    rings.Put(1, 102, 102_000);
                },
                () =>
                {
                    for (int i = 0; i < 3; i++) Assert.Equal(101_000, rings.Get(2, 101));
                    Assert.Equal(Status.Ok, rings.Remove(2, 101));
                },
                () => rings.Rehash(),
            ],
            () => rings.Check((20, 20_001), (100, 100_002), (102, 102_000)));
    }

    /// <summary>Values of two words, which are updated by copy.</summary>
    private readonly struct PairShape : IShape
    {
        public static int ValueSize => 16;
    }
}
