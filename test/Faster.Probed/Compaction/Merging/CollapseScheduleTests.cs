using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction.Merging;

/// <summary>
/// Compaction of deltas under controlled schedules: beside updates nothing is lost and nothing counts twice,
/// and reads agree on an order.
/// </summary>
public sealed class CollapseScheduleTests
{
    private const long First = 64; // the address of the first record

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(250), PreemptionBound = 3 };

    public static TheoryData<string> Rivals => ["upsert", "delete", "add", "freeze and add", "delete and add"];

    [Fact]
    public void A_collapse_beside_updates_keeps_the_sum()
    {
        Explorer.Run(Options, BesideUpdates<MergedWordShape>).AssertClean();
        Explorer.Run(Options, BesideUpdates<MergedSwapShape>).AssertClean();
        Explorer.Run(Options, BesideUpdates<MergedVaryingShape>).AssertClean();
    }

    [Theory]
    [InlineData(SeededBug.CollapseWithoutSeal)]
    [InlineData(SeededBug.CopyInFuzzyRegion)]
    internal void A_collapse_that_loses_an_update_is_found(SeededBug bug) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 10_000, PreemptionBound = 4 }, BesideUpdates<MergedSwapShape>)
        .AssertFound("Expected: 107");

    [Fact]
    public void A_collapse_that_does_not_wait_for_an_update_under_way_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.CollapseWithoutEpoch], Schedules = 10_000 }, BesideOneUpdate)
        .AssertFound("Expected: 103");

    [Theory, MemberData(nameof(Rivals))]
    public void A_collapse_never_hides_what_is_newer(string rival)
    {
        Explorer.Run(Options, () => Beside<MergedWordShape>(rival)).AssertClean();
        Explorer.Run(Options, () => Beside<MergedSwapShape>(rival)).AssertClean();
    }

    [Fact]
    public void All_parts_of_a_key_may_be_collapsed_side_by_side()
    {
        Explorer.Run(Options, SideBySide<MergedWordShape>).AssertClean();
        Explorer.Run(Options, SideBySide<MergedSwapShape>).AssertClean();
    }

    [Fact]
    public void Readers_agree_on_an_order_beside_a_collapse()
    {
        Explorer.Run(Options, BesideReaders<MergedWordShape>).AssertClean();
        Explorer.Run(Options, BesideReaders<MergedSwapShape>).AssertClean();
        Explorer.Run(Options, OverSealed).AssertClean();
    }

    [Fact]
    public void A_commit_beside_a_collapse_holds_an_exact_prefix()
    {
        foreach (bool late in new[] { false, true })
        {
            Explorer.Run(Options, () => BesideCommit<MergedWordShape>(late)).AssertClean();
            Explorer.Run(Options, () => BesideCommit<MergedSwapShape>(late)).AssertClean();
        }
    }

    [Fact]
    public void A_commit_with_a_begin_from_after_its_point_is_found() => Explorer
        .Run(
            Options with { Bugs = [SeededBug.BeginAfterShift], Schedules = 10_000 },
            () => BesideCommit<MergedWordShape>(late: false))
        .AssertFound(CommitCheck.NoPrefix);

    // A whole record on disk and a delta in the mutable region: 101.
    private static ScheduledStore<TShape> Parts<TShape>(int sessions)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, sessions);
        store.Put(0, 1, 100);
        store.Spill();
        store.Add(0, 1, 1);
        Assert.Equal(1, store.Deltas);
        return store;
    }

    private static void Compact<TShape>(ScheduledStore<TShape> store)
        where TShape : struct, IShape
    {
        _ = store.Collapse(0, 1, First, Value<TShape>(100), isDelta: false);
        store.RaiseBegin();
    }

    private static Scenario BesideUpdates<TShape>()
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Parts<TShape>(4);
        return new Scenario(
            [
                () => Compact(store),
                () => store.Add(1, 1, 2),
                () =>
                {
                    store.ShiftReadOnly();
                    store.Add(2, 1, 4);
                },
            ],
            () => CheckAndDispose(store, 107));
    }

    // An update without a latch is suspended while others run.
    private static Scenario BesideOneUpdate()
    {
        ScheduledStore<MergedSwapShape> store = Parts<MergedSwapShape>(3);
        return new Scenario(
            [
                () => _ = store.Collapse(0, 1, First, Value<MergedSwapShape>(100), isDelta: false),
                () => store.Add(1, 1, 2),
                () => Assert.InRange(store.Get(2, 1) ?? 0, 101, 103),
            ],
            () => CheckAndDispose(store, 103));
    }

    private static Scenario Beside<TShape>(string rival)
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Parts<TShape>(2);
        Action beside = rival switch
        {
            "upsert" => () => store.Put(1, 1, 20),
            "delete" => () => _ = store.Remove(1, 1),
            "add" => () => store.Add(1, 1, 2),
            "freeze and add" => () =>
            {
                store.ShiftReadOnly();
                store.Add(1, 1, 2);
            },
            _ => () =>
            {
                _ = store.Remove(1, 1);
                store.Add(1, 1, 5);
            }
        };
        long? expected = rival switch { "upsert" => 20, "delete" => null, "delete and add" => 5, _ => 103 };
        return new Scenario([() => Compact(store), beside], () => CheckAndDispose(store, expected));
    }

    // 100 in the first page, a delta in a later one, both on disk, and a delta in memory: a compaction meets each.
    private static Scenario SideBySide<TShape>()
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Parts<TShape>(3);
        long part = store.Log.TailAddress - 24;
        store.Spill();
        store.Add(0, 1, 2);
        Assert.Equal(2, store.Deltas);
        return new Scenario(
            [
                () => Compact(store),
                () => _ = store.Collapse(1, 1, part, Value<TShape>(1), isDelta: true),
                () => store.Add(2, 1, 4),
            ],
            () => CheckAndDispose(store, 107));
    }

    // Updates are bits, so that a value tells which of them it holds: of two reads one must hold all of the other's.
    private static Scenario BesideReaders<TShape>()
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, 5);
        store.Put(0, 1, 16);
        store.Spill();
        store.Add(0, 1, 1);
        List<long> seen = [];
        return new Scenario(
            [
                () => _ = store.Collapse(0, 1, First, Value<TShape>(16), isDelta: false),
                () => store.Add(1, 1, 2),
                () =>
                {
                    store.ShiftReadOnly();
                    store.Add(2, 1, 4);
                },
                () => seen.Add(store.Get(3, 1)!.Value),
                () => seen.Add(store.Get(4, 1)!.Value),
            ],
            () =>
            {
                AssertOrdered(seen);
                CheckAndDispose(store, 23);
            });
    }

    // The beginning of a collapse, and the shift of ReadOnly that comes before its end.
    private static Scenario OverSealed()
    {
        var store = new ScheduledStore<MergedSwapShape>(RecordAllocatorKind.Hybrid, 4);
        store.Put(0, 1, 16);
        long part = store.Log.TailAddress;
        store.AddInFuzzyRegion(0, 1, 32);
        Assert.Equal(1, store.Deltas);
        List<long> seen = [];
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () =>
                {
                    store.Seal(1, part);
                    store.ShiftReadOnly();
                    store.Add(1, 1, 2);
                },
                () => seen.Add(store.Get(2, 1)!.Value),
                () =>
                {
                    store.Add(3, 1, 4);
                    seen.Add(store.Get(3, 1)!.Value);
                },
            ],
            () =>
            {
                AssertOrdered(seen);
                CheckAndDispose(store, 55);
            });
    }

    private static void AssertOrdered(List<long> seen)
    {
        foreach (long one in seen)
            Assert.All(seen, other => Assert.True((one & other) == one || (one & other) == other,
                $"One read saw {one}, another {other}."));
    }

    // A late update holds its place: the commit, and the collapse that comes after its point, wait for it.
    private static Scenario BesideCommit<TShape>(bool late)
        where TShape : struct, IShape
    {
        var world = new ScheduledCommit<TShape>(3);
        world.Add(0, 1);
        world.Spill();
        world.Add(0, 1); // a delta
        return world.Beside(world.Commit, () => world.Compact(1, 1), () => AddTo(world, late));
    }

    private static void AddTo<TShape>(ScheduledCommit<TShape> world, bool late)
        where TShape : struct, IShape
    {
        if (late) world.AddLate(2, 1);
        else world.Add(2, 1);
    }

    private static byte[] Value<TShape>(long number)
        where TShape : struct, IShape
    {
        byte[] value = new byte[TShape.ValueSize == 0 ? 16 : TShape.ValueSize];
        BitConverter.TryWriteBytes(value, number);
        BitConverter.TryWriteBytes(value.AsSpan(value.Length - 8), number);
        return value;
    }

    private static void CheckAndDispose<TShape>(ScheduledStore<TShape> store, long? expected)
        where TShape : struct, IShape
    {
        Assert.Equal(expected, store.Get(0, 1));
        store.Dispose();
    }
}
