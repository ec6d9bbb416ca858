using Faster.Contracts;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction;

/// <summary>
/// Several collapses of one key, whose seals cross: a delta that one has sealed another may link, unseal or seal again.
/// Under controlled schedules.
/// </summary>
public sealed class SealScheduleTests
{
    private const long First = 64; // the address of the first record

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    [Fact]
    public void An_update_between_two_seals_of_a_part_is_not_lost()
    {
        Explorer.Run(Options, BesideLaterSeal<MergedWordShape>).AssertClean();
        Explorer.Run(Options, BesideLaterSeal<MergedSwapShape>).AssertClean();
    }

    [Fact]
    public void A_claim_of_a_later_seal_is_found() =>
        AssertFound(SeededBug.ClaimOfLaterSeal, BesideLaterSeal<MergedWordShape>, "Expected: 103");

    [Fact]
    public void No_seal_is_left_when_all_collapses_have_ended()
    {
        Explorer.Run(Options, BesideFailure<MergedWordShape>).AssertClean();
        Explorer.Run(Options, BesideFailure<MergedSwapShape>).AssertClean();
    }

    [Fact]
    public void A_released_seal_without_an_owner_is_found() =>
        AssertFound(SeededBug.ReturnedSealIsNobodys, BesideFailure<MergedWordShape>, "Expected: 0");

    [Fact]
    public void A_read_of_a_part_whose_seal_is_lifted_does_not_mix_old_and_new()
    {
        Explorer.Run(Options, BesideLiftedSeal<MergedWordShape>).AssertClean();
        Explorer.Run(Options, BesideLiftedSeal<MergedSwapShape>).AssertClean();
    }

    [Fact]
    public void A_read_of_a_sealed_part_without_its_latch_is_found() =>
        AssertFound(SeededBug.HeldDeltaWithoutLatch, BesideLiftedSeal<MergedWordShape>, "Item not found in collection");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 10_000, PreemptionBound = 4 }, scenario)
        .AssertFound(how);

    // A whole record on disk and a delta in the mutable region: 101.
    private static ScheduledStore<TShape> Parts<TShape>(int sessions, out long part)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, sessions);
        store.Put(0, 1, 100);
        store.Spill();
        part = store.Log.TailAddress;
        store.Add(0, 1, 1);
        Assert.Equal(1, store.Deltas);
        return store;
    }

    private static byte[] Base => BitConverter.GetBytes(100L);

    // Another collapse of the key has to wait for something else twice, and lifts the seal each time.
    private static Scenario BesideLaterSeal<TShape>()
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Parts<TShape>(4, out long part);
        return new Scenario(
            [
                () => _ = store.Collapse(1, 1, First, Base, isDelta: false),
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        store.Seal(2, part);
                        store.Lift(2, part);
                    }
                },
                () => store.Add(3, 1, 2),
            ],
            () => CheckAndDispose(store, 103));
    }

    // A collapse that has claimed the other one's seal does not link, since the chain has changed, and then fails.
    private static Scenario BesideFailure<TShape>()
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Parts<TShape>(4, out long part);
        int merges = 0;
        var collapse = new ProbedCollapse(First, Base, isDelta: false, store.HeldDeltas)
        {
            BeforeMerge = () =>
            {
                if (++merges == 2) throw new FormatException("seeded");
            },
        };
        return new Scenario(
            [
                () =>
                {
                    try
                    {
                        _ = store.Collapse(1, 1, collapse);
                    }
                    catch (FormatException)
                    {
                    }
                },
                () =>
                {
                    store.Seal(2, part);
                    store.Lift(2, part);
                },
                () => store.Put(3, 2, 7),
            ],
            () =>
            {
                Assert.Equal(0, store.HeldDeltas.Count);
                Assert.Equal(7, store.Get(0, 2));
                store.Add(0, 1, 4);
                CheckAndDispose(store, 105);
            });
    }

    // The delta is deleted where it lies, and comes back as a whole value.
    private static Scenario BesideLiftedSeal<TShape>()
        where TShape : struct, IShape
    {
        ScheduledStore<TShape> store = Parts<TShape>(4, out long part);
        return new Scenario(
            [
                () =>
                {
                    store.Seal(1, part);
                    store.Lift(1, part);
                },
                () =>
                {
                    _ = store.Remove(2, 1);
                    store.Put(2, 1, 20);
                },
                () => Assert.Contains(store.Get(3, 1), new long?[] { 101, null, 20 }),
            ],
            () => CheckAndDispose(store, 20));
    }

    private static void CheckAndDispose<TShape>(ScheduledStore<TShape> store, long? expected)
        where TShape : struct, IShape
    {
        Assert.Equal(expected, store.Get(0, 1));
        Assert.Equal(0, store.HeldDeltas.Count);
        store.Dispose();
    }
}
