using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Merging;

/// <summary>
/// Mergeable values under controlled schedules: no update is lost or counted twice, and all reads agree on an order.
/// </summary>
public sealed class MergeScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(170), PreemptionBound = 3 };

    [Fact]
    public void An_update_in_the_fuzzy_region_neither_waits_nor_loses_another()
    {
        Explorer.Run(Options, UpdateBesideShift<MergedWordShape>).AssertClean();
        Explorer.Run(Options, UpdateBesideShift<MergedSwapShape>).AssertClean();
    }

    [Fact]
    public void Nor_does_it_in_any_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(UpdateBesideShift<MergedWordShape>, preemptions: 1);

    [Fact]
    public void Readers_agree_on_the_order_of_updates_in_two_records()
    {
        Explorer.Run(Options, () => ReadBesideShift<MergedWordShape>(parts: 2)).AssertClean();
        Explorer.Run(Options, () => ReadBesideShift<MergedSwapShape>(parts: 2)).AssertClean();
    }

    [Fact]
    public void A_partial_value_that_is_replaced_is_merged_with_nothing_older()
    {
        foreach (bool deletes in new[] { true, false })
        {
            Explorer.Run(Options, () => ReplacePartial<MergedWordShape>(deletes)).AssertClean();
            Explorer.Run(Options, () => ReplacePartial<MergedSwapShape>(deletes)).AssertClean();
            Explorer.Run(Options, () => ReplacePartial<MergedVaryingShape>(deletes)).AssertClean();
        }
    }

    [Fact]
    public void A_collapse_loses_nothing_that_is_added_beside_it()
    {
        Explorer.Run(Options, CollapseBesideUpdates<MergedWordShape>).AssertClean();
        Explorer.Run(Options, CollapseBesideUpdates<MergedSwapShape>).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void Updates_deletions_and_upserts_of_one_key_have_an_order(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => MixOnOneKey<MergedWordShape>(kind)).AssertClean();
        Explorer.Run(Options, () => MixOnOneKey<MergedVaryingShape>(kind)).AssertClean();
    }

    [Fact]
    public void A_partial_value_that_outgrows_its_record_counts_once() => Explorer.Run(Options, Outgrow).AssertClean();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Parts_on_disk_and_in_memory_sum_up(bool cached) =>
        Explorer.Run(Options with { Schedules = 200 }, () => Spill(cached)).AssertClean();

    [Fact]
    public void A_copy_in_the_fuzzy_region_is_found()
    {
        AssertFound(SeededBug.CopyInFuzzyRegion, UpdateBesideShift<MergedWordShape>, "Expected: 15");
        AssertFound(SeededBug.CopyInFuzzyRegion, CollapseBesideUpdates<MergedWordShape>, "Expected: 31",
            "An own update is not in");
    }

    [Fact]
    public void A_read_of_parts_that_still_change_is_found() => Explorer
        .Run(
            Options with { Bugs = [SeededBug.ReconcileInFuzzyRegion], Schedules = 30_000, PreemptionBound = 4 },
            () => ReadBesideShift<MergedSwapShape>(parts: 1))
        .AssertFound("One read saw");

    [Theory]
    [InlineData(SeededBug.UpsertKeepsDelta, false)]
    [InlineData(SeededBug.DeletionKeepsDelta, true)]
    [InlineData(SeededBug.DeltaWithoutLatch, true)]
    internal void A_whole_value_that_is_taken_for_a_part_is_found(SeededBug bug, bool deletes) =>
        AssertFound(
            bug, () => ReplacePartial<MergedWordShape>(deletes), "Item not found in collection", "Values differ");

    [Fact]
    public void A_copied_part_that_counts_twice_is_found() =>
        AssertFound(SeededBug.DeltaCopied, Outgrow, "Expected: 107");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 5000 }, scenario).AssertFound(how);

    private static Scenario UpdateBesideShift<TShape>()
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, 3);
        store.Put(0, 1, 8);
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () =>
                {
                    store.ShiftReadOnly();
                    store.Add(1, 1, 2);
                    long? seen = store.Get(1, 1);
                    Assert.True(seen is 10 or 11 or 14 or 15, $"{seen}");
                },
                () => store.Add(2, 1, 4),
            ],
            () => CheckAndDispose(store, 15));
    }

    // Updates are bits, so that a value tells which of them it holds: of two reads one must hold all of the other's.
    private static Scenario ReadBesideShift<TShape>(int parts)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, 4);
        store.Put(0, 1, 8);
        List<long> seen = [];
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () =>
                {
                    store.ShiftReadOnly();
                    for (int part = 1; part <= parts; part++) store.Add(1, 1, 1 << part);
                },
                () => seen.Add(store.Get(2, 1)!.Value),
                () => seen.Add(store.Get(3, 1)!.Value),
            ],
            () =>
            {
                foreach (long one in seen)
                    Assert.All(seen, other => Assert.True((one & other) == one || (one & other) == other,
                        $"One read saw {one}, another {other}."));
                CheckAndDispose(store, 8 + (2 << parts) - 1);
            });
    }

    // A whole record on disk, a delta in the mutable region.
    private static ScheduledStore<TShape> Partial<TShape>(int sessions, long whole, long part)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, sessions);
        store.Put(0, 1, whole);
        store.Spill();
        store.Add(0, 1, part);
        Assert.Equal(1, store.Deltas);
        Assert.Equal(whole + part, store.Get(0, 1));
        return store;
    }

    private static Scenario ReplacePartial<TShape>(bool deletes)
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Partial<TShape>(3, 100, 1);
        return new Scenario(
            [
                () =>
                {
                    if (deletes) _ = store.Remove(0, 1);
                    store.Put(0, 1, 1000);
                },
                () => Assert.Contains(store.Get(1, 1), new long?[] { 101, 103, null, 2, 1000, 1002 }),
                () => store.Add(2, 1, 2),
            ],
            () =>
            {
                long? value = store.Get(0, 1);
                Assert.True(value is 1000 or 1002, $"{value}");
                store.Put(0, 1, 7);
                CheckAndDispose(store, 7);
            });
    }

    private static Scenario CollapseBesideUpdates<TShape>()
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Partial<TShape>(3, 100, 1);
        _ = store.Remove(0, 1);
        store.Put(0, 1, 16);
        return new Scenario(
            [
                () =>
                {
                    store.ShiftReadOnly();
                    store.Add(0, 1, 1);
                    store.ShiftReadOnly();
                    store.Add(0, 1, 2);
                },
                () => store.Add(1, 1, 4),
                () =>
                {
                    store.Add(2, 1, 8);
                    long? seen = store.Get(2, 1);
                    Assert.True(seen is { } value && (value & 24) == 24, $"An own update is not in {seen}.");
                },
            ],
            () => CheckAndDispose(store, 31));
    }

    private static Scenario MixOnOneKey<TShape>(RecordAllocatorKind kind)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(kind, 4);
        store.Put(0, 2, 20);
        store.Put(0, 1, 5);
        return new Scenario(
            [
                () => store.Add(0, 1, 1, length: 64),
                () => _ = store.Remove(1, 1),
                () => store.Put(2, 1, 10, length: 32),
                () => Assert.Contains(store.Get(3, 1), new long?[] { null, 1, 5, 6, 10, 11 }),
            ],
            () =>
            {
                if (kind == RecordAllocatorKind.InMemory) Assert.Equal(0, store.Deltas);
                Assert.Contains(store.Get(0, 1), new long?[] { null, 1, 10, 11 });
                store.Dispose();
            });
    }

    private static Scenario Outgrow()
    {
        ScheduledStore<MergedVaryingShape> store = Partial<MergedVaryingShape>(3, 100, 1);
        return new Scenario(
            [
                () => store.Add(0, 1, 2, length: 64),
                () => store.Add(1, 1, 4, length: 160),
                () => Assert.InRange(store.Get(2, 1) ?? 0, 101, 107),
            ],
            () => CheckAndDispose(store, 107));
    }

    private static Scenario Spill(bool cached)
    {
        const int Keys = 6;
        var store = new ScheduledStore<MergedHalfPageShape>(RecordAllocatorKind.Hybrid, 3, cached, frozen: false);
        for (long key = 1; key <= Keys; key++) store.Put(0, key, key * 100);
        return new Scenario(
            [
                () =>
                {
                    for (long key = 1; key < Keys; key++) store.Add(0, key, 1);
                },
                () =>
                {
                    for (long key = Keys - 1; key >= 1; key--) store.Add(1, key, 2);
                },
                () =>
                {
                    for (long key = 1; key <= Keys; key++)
                        Assert.InRange(store.Get(2, key) ?? 0, key * 100, (key * 100) + 3);
                },
            ],
            () =>
            {
                for (long key = 1; key < Keys; key++) Assert.Equal((key * 100) + 3, store.Get(0, key));
                CheckAndDispose(store, 103);
            });
    }

    private static void CheckAndDispose<TShape>(ScheduledStore<TShape> store, long expected)
        where TShape : struct, IShape
    {
        Assert.Equal(expected, store.Get(0, 1));
        store.Dispose();
    }
}
