using Faster.Contracts;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Merging;

/// <summary>
/// A whole record that expires below deltas, as in a store class that got its merger later: no delta is lost, and what
/// was seen dead does not come back. Under controlled schedules, in which the time passes between any two steps.
/// </summary>
public sealed class MergedExpiryScheduleTests
{
    private const long First = 64; // the address of the first record

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_part_that_a_collapse_found_alive_counts_from_then_on(bool onDisk)
    {
        var time = new ManualTime();
        long expiry = time.Now + 10;
        using ScheduledStore<MergedWordShape> store = Parts<MergedWordShape>(time, onDisk);
        time.Advance(9);
        Assert.Equal(Status.Ok, store.Collapse(1, 1, First, Base, isDelta: false, expiry));
        time.Advance(100);
        Assert.Equal(101, store.Get(2, 1));
        store.Add(3, 1, 2);
        Assert.Equal(103, store.Get(2, 1));
        Assert.Equal(0, store.HeldDeltas.Count);
    }

    [Fact]
    public void A_part_that_an_update_collapsed_in_time_counts_from_then_on()
    {
        var time = new ManualTime();
        using ScheduledStore<MergedVaryingShape> store = Parts<MergedVaryingShape>(time, onDisk: false);
        store.ShiftReadOnly();
        time.Advance(9);
        store.Add(1, 1, 2);
        Assert.Equal(1, store.Deltas);
        time.Advance(100);
        Assert.Equal(103, store.Get(2, 1));
    }

    [Fact]
    public void A_collapse_beside_a_death_neither_loses_a_part_nor_brings_back_what_is_dead()
    {
        foreach (bool frozen in new[] { false, true })
        {
            Explorer.Run(Options, () => Compact<MergedWordShape>(onDisk: true, frozen)).AssertClean();
            Explorer.Run(Options, () => Compact<MergedSwapShape>(onDisk: false, frozen)).AssertClean();
        }
    }

    [Fact]
    public void An_update_that_collapses_beside_a_death_does_neither()
    {
        Explorer.Run(Options, Update<MergedWordShape>).AssertClean();
        Explorer.Run(Options, Update<MergedSwapShape>).AssertClean();
        Explorer.Run(Options, Update<MergedVaryingShape>).AssertClean();
    }

    [Fact]
    public void A_collapse_whose_oldest_value_dies_while_it_merges_leaves_it_out() =>
        Explorer.Run(Options with { Schedules = 1 }, DiesWhileItMerges).AssertClean();

    [Theory]
    [InlineData("merges")]
    [InlineData("compacts on disk")]
    [InlineData("compacts in memory")]
    [InlineData("updates")]
    public void A_collapse_that_outlives_its_oldest_value_is_found(string how) => Explorer
        .Run(
            Options with { Bugs = [SeededBug.CollapseOutlivesRecord], Schedules = 10_000 },
            how switch
            {
                "merges" => DiesWhileItMerges,
                "compacts on disk" => () => Compact<MergedWordShape>(onDisk: true, frozen: true),
                "compacts in memory" => () => Compact<MergedWordShape>(onDisk: false, frozen: true),
                _ => Update<MergedWordShape>,
            })
        .AssertFound("Values differ");

    private static byte[] Base => BitConverter.GetBytes(100L);

    // 100 until 10, and 1 that never expires.
    private static ScheduledStore<TShape> Parts<TShape>(ManualTime time, bool onDisk)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, 5, time: time);
        store.SetTimeToLive(4, 10);
        store.Put(4, 1, 100);
        if (onDisk)
        {
            store.Spill();
            store.Add(0, 1, 1);
        }
        else
        {
            store.AddInFuzzyRegion(0, 1, 1);
        }

        Assert.Equal(1, store.Deltas);
        Assert.Equal(101, store.Get(0, 1));
        return store;
    }

    // Another session reads while the collapse merges, which waits for it.
    private static Scenario DiesWhileItMerges()
    {
        var time = new ManualTime();
        ScheduledStore<MergedWordShape> store = Parts<MergedWordShape>(time, onDisk: true);
        bool merges = false;
        long? seen = null;
        var collapse = new ProbedCollapse(First, Base, isDelta: false, store.HeldDeltas)
        {
            Expiry = time.Now + 10,
            BeforeMerge = () =>
            {
                merges = true;
                Assert.True(Probe.Wait(() => seen is not null));
            },
        };
        return new Scenario(
            [
                () => Assert.Equal(Status.Ok, store.Collapse(1, 1, collapse)),
                () =>
                {
                    Assert.True(Probe.Wait(() => merges));
                    time.Advance(12);
                    seen = store.Get(2, 1);
                },
            ],
            () =>
            {
                Assert.Equal(1, seen);
                Assert.Equal(1, store.Get(3, 1));
                store.Dispose();
            });
    }

    // An immutable delta needs no seal, which a collapse would wait for.
    private static Scenario Compact<TShape>(bool onDisk, bool frozen)
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        long expiry = time.Now + 10;
        ScheduledStore<TShape> store = Parts<TShape>(time, onDisk);
        if (frozen) store.ShiftReadOnly();
        return WhileItDies(store, time, updates: 2, () =>
        {
            _ = store.Collapse(1, 1, First, Base, isDelta: false, expiry);
            store.Add(1, 1, 2);
        });
    }

    // Base and delta are in memory and immutable: an update makes one record of them.
    private static Scenario Update<TShape>()
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        ScheduledStore<TShape> store = Parts<TShape>(time, onDisk: false);
        store.ShiftReadOnly();
        return WhileItDies(store, time, updates: 2, () => store.Add(1, 1, 2));
    }

    // Whether the base counts does not change any more once it has been seen to be dead.
    private static Scenario WhileItDies<TShape>(
        ScheduledStore<TShape> store, ManualTime time, long updates, Action change)
        where TShape : struct, IShape
    {
        long first = 0, second = 0;
        return new Scenario(
            [
                change,
                () =>
                {
                    time.Advance(12);
                    first = store.Get(2, 1)!.Value;
                    second = store.Get(2, 1)!.Value;
                },
            ],
            () =>
            {
                long last = store.Get(3, 1)!.Value;
                Assert.Equal(1 + updates, last % 100);
                Assert.Contains(first % 100, new long[] { 1, 1 + updates });
                Assert.InRange(second % 100, first % 100, last % 100);
                Assert.Equal((first / 100, first / 100), (second / 100, last / 100));
                store.Dispose();
            });
    }
}
