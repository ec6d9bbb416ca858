using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations;

/// <summary>The four operations over a hybrid log under controlled schedules: what is lost or torn, is found.</summary>
public sealed class LogStoreScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    // What differs in the shape of its values only.
    private static readonly ExplorationOptions Variant = Options with { Schedules = TestBudget.Times(100) };

    [Fact]
    public void No_update_is_lost_when_the_read_only_marker_moves()
    {
        Explorer.Run(Options, ShiftBesideUpdates<WordShape>).AssertClean();
        Explorer.Run(Variant, ShiftBesideUpdates<SwapShape>).AssertClean();
    }

    [Fact]
    public void None_is_lost_in_any_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(ShiftBesideUpdates<WordShape>, preemptions: 1);

    [Theory]
    [InlineData(SeededBug.CopyInFuzzyRegion)]
    [InlineData(SeededBug.SafeReadOnlyWithoutEpoch)]
    internal void The_lost_update_anomaly_is_found(SeededBug bug) =>
        AssertFound(bug, ShiftBesideUpdates<WordShape>, "Item not found in collection");

    [Fact]
    public void Updates_in_place_sum_up() => Explorer.Run(Options, UpdateInPlace).AssertClean();

    [Fact]
    public void An_update_without_latch_is_found() => AssertFound(
        SeededBug.UpdateWithoutLatch, UpdateInPlace, "Half of an update was seen", "Item not found in collection");

    [Fact]
    public void Updates_sum_up_while_records_go_to_disk_and_come_back() =>
        Explorer.Run(Options with { Schedules = 300 }, Spill).AssertClean();

    [Theory]
    [InlineData(SeededBug.TurnIgnoresClosed)]
    [InlineData(SeededBug.EvictWithoutEpoch)]
    [InlineData(SeededBug.SafeReadOnlyWithoutEpoch)]
    internal void A_bug_of_the_regions_is_found_in_what_is_read(SeededBug bug) =>
        AssertFound(bug, Spill, "Value not in range", "Item not found in collection", "Half of an update was seen");

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_value_that_outgrows_its_record_loses_no_update(RecordAllocatorKind kind) =>
        Explorer.Run(Options, () => Outgrow(kind)).AssertClean();

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void An_update_without_latch_is_found_in_a_record_that_is_outgrown(RecordAllocatorKind kind) =>
        AssertFound(SeededBug.UpdateWithoutLatch, () => Outgrow(kind), "Item not found in collection", "Values differ");

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void Updates_deletions_and_upserts_of_one_key_have_an_order(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => MixOnOneKey<WordShape>(kind, alone: true)).AssertClean();
        Explorer.Run(Options, () => MixOnOneKey<WordShape>(kind, alone: false)).AssertClean();
        Explorer.Run(Variant, () => MixOnOneKey<SwapShape>(kind, alone: true)).AssertClean();
        Explorer.Run(Variant, () => MixOnOneKey<SwapShape>(kind, alone: false)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_reader_sees_no_value_that_was_never_written_when_a_deleted_key_comes_back(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => Revive<WordShape>(kind)).AssertClean();
        Explorer.Run(Variant, () => Revive<SwapShape>(kind)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void Words_that_are_swapped_lose_no_update_when_a_deleted_key_comes_back(RecordAllocatorKind kind) =>
        Explorer.Run(Options, () => ReviveBesideUpdates(kind)).AssertClean();

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 3000 }, scenario).AssertFound(how);

    private static Scenario ShiftBesideUpdates<TShape>()
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, 3);
        store.Put(0, 1, 10);
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () =>
                {
                    store.ShiftReadOnly();
                    store.Add(1, 1, 2);
                },
                () => store.Add(2, 1, 4),
            ],
            () => CheckAndDispose(store, (1, [17])));
    }

    private static Scenario ReviveBesideUpdates(RecordAllocatorKind kind)
    {
        // An addition that has found the record live may end when it is dead, or live again with the same number.
        var store = new ScheduledStore<SwapShape>(kind, 3);
        store.Put(0, 1, 5);
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () =>
                {
                    _ = store.Remove(1, 1);
                    store.Put(1, 1, 5);
                },
                () => store.Add(2, 1, 2),
            ],
            () => CheckAndDispose(store, (1, [5, 6, 7, 8])));
    }

    private static Scenario UpdateInPlace()
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, 3);
        store.Put(0, 1, 10);
        return new Scenario(
            [() => store.Add(0, 1, 1), () => store.Add(1, 1, 2), () => _ = store.Get(2, 1)],
            () => CheckAndDispose(store, (1, [13])));
    }

    private static Scenario Spill()
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, 3);
        for (long key = 1; key <= 6; key++) store.Put(0, key, key * 100);
        return new Scenario(
            [
                () =>
                {
                    for (long key = 1; key <= 5; key++) store.Add(0, key, 1);
                },
                () =>
                {
                    for (long key = 5; key >= 1; key--) store.Add(1, key, 2);
                },
                () =>
                {
                    for (long key = 1; key <= 6; key++)
                        Assert.InRange(store.Get(2, key) ?? 0, key * 100, (key * 100) + 3);
                },
            ],
            () => CheckAndDispose(store, (1, [103]), (2, [203]), (3, [303]), (4, [403]), (5, [503]), (6, [600])));
    }

    private static Scenario Outgrow(RecordAllocatorKind kind)
    {
        var store = new ScheduledStore<VaryingShape>(kind, 3);
        store.Put(0, 2, 20);
        store.Put(0, 1, 10);
        return new Scenario(
            [
                () => store.Add(0, 1, 1, length: 160),
                () => store.Add(1, 1, 2),
                () =>
                {
                    store.Add(2, 1, 4, length: 64);
                    Assert.Equal(20, store.Get(2, 2));
                },
            ],
            () =>
            {
                if (kind != RecordAllocatorKind.AppendOnly) Assert.Equal(1, store.CountInChain(1));
                CheckAndDispose(store, (1, [17]), (2, [20]));
            });
    }

    private static Scenario MixOnOneKey<TShape>(RecordAllocatorKind kind, bool alone)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(kind, 4);
        if (!alone) store.Put(0, 2, 20);
        store.Put(0, 1, 5);
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () => _ = store.Remove(1, 1),
                () => store.Put(2, 1, 10),
                () => Assert.Contains(store.Get(3, 1), new long?[] { null, 1, 5, 6, 10, 11 }),
            ],
            () => CheckAndDispose(store, (1, [null, 1, 10, 11]), (2, [alone ? null : 20])));
    }

    private static Scenario Revive<TShape>(RecordAllocatorKind kind)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(kind, 2);
        store.Put(0, 2, 20);
        store.Put(0, 1, 5);
        return new Scenario(
            [
                () =>
                {
                    _ = store.Remove(0, 1);
                    store.Put(0, 1, 7);
                    _ = store.Remove(0, 1);
                    store.Add(0, 1, 9);
                },
                () => Assert.Contains(store.Get(1, 1), new long?[] { null, 5, 7, 9 }),
            ],
            () => CheckAndDispose(store, (1, [9]), (2, [20])));
    }

    private static void CheckAndDispose<TShape>(ScheduledStore<TShape> store, params (long Key, long?[] Any)[] expected)
        where TShape : struct, IShape
    {
        foreach ((long key, long?[] any) in expected) Assert.Contains(store.Get(0, key), any);
        store.Dispose();
    }
}
