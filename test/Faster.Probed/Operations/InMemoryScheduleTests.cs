using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations;

/// <summary>
/// Splicing in one in-memory chain under controlled schedules: adjacent records are taken out, records come in, and
/// addresses are used again, beside readers. Each value tells its key, so that a record used again too early shows.
/// </summary>
public sealed class InMemoryScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(400), PreemptionBound = 3 };

    [Fact]
    public void Neighbors_are_spliced_out_beside_inserts_and_readers() =>
        Explorer.Run(Options, RemoveNeighbours).AssertClean();

    [Fact]
    public void Neighbors_are_spliced_out_in_every_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(RemoveTwoNeighbours);

    [Fact]
    public void Space_is_reused_only_when_no_session_can_read_it() => Explorer.Run(Options, ReuseRoom).AssertClean();

    [Fact]
    public void Memory_that_another_session_frees_is_used_only_when_no_session_can_read_it() =>
        Explorer.Run(Options, ReuseOfOthers).AssertClean();

    [Fact]
    public void Memory_of_another_session_used_under_a_reader_is_found() =>
        AssertFound(SeededBug.SharedWithoutEpoch, ReuseOfOthers, "Values differ");

    [Fact]
    public void A_splice_that_ignores_seals_is_found() =>
        AssertFound(SeededBug.SpliceWithoutSeal, RemoveTwoNeighbours, "A record that was taken out is still linked");

    [Fact]
    public void Space_that_is_reused_under_a_reader_is_found() =>
        AssertFound(SeededBug.FreeWithoutEpoch, ReuseRoom, "Values differ");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 5000 }, scenario).AssertFound(how);

    private static Scenario RemoveTwoNeighbours()
    {
        ScheduledStore<WordShape> store = Chain(sessions: 2, keys: 4);
        return new Scenario(
            [() => Assert.Equal(Status.Ok, store.Remove(0, 3)), () => Assert.Equal(Status.Ok, store.Remove(1, 2))],
            () => Check(store, present: [1, 4], absent: [2, 3]));
    }

    private static Scenario RemoveNeighbours()
    {
        ScheduledStore<WordShape> store = Chain(sessions: 4, keys: 4);
        return new Scenario(
            [
                () => Assert.Equal(Status.Ok, store.Remove(0, 3)),
                () => Assert.Equal(Status.Ok, store.Remove(1, 2)),
                () =>
                {
                    store.Put(2, 5, 5000);
                    Assert.Equal(Status.Ok, store.Remove(2, 4));
                },
                () => Look(store, 3, 1),
            ],
            () => Check(store, present: [1, 5], absent: [2, 3, 4]));
    }

    private static Scenario ReuseRoom()
    {
        ScheduledStore<WordShape> store = Chain(sessions: 3, keys: 3);
        return new Scenario(
            [
                () =>
                {
                    for (long key = 2; key <= 4; key++)
                    {
                        _ = store.Remove(0, key);
                        store.Epochs.Bump(static () => { });
                        store.Put(0, key + 2, (key + 2) * 1000);
                    }
                },
                () =>
                {
                    Look(store, 1, 1);
                    Assert.Equal(2000, store.Get(1, 2) ?? 2000);
                    Assert.Equal(3000, store.Get(1, 3) ?? 3000);
                },
                () =>
                {
                    store.Add(2, 1, 1);
                    Look(store, 2, 1);
                },
            ],
            () => Check(store, present: [1, 5, 6], absent: [2, 3, 4]));
    }

    private static Scenario ReuseOfOthers()
    {
        ScheduledStore<WordShape> store = Chain(sessions: 3, keys: 3, freeBatch: 1);
        return new Scenario(
            [
                () =>
                {
                    for (long key = 2; key <= 3; key++) _ = store.Remove(0, key);
                },
                () =>
                {
                    Look(store, 1, 1);
                    Assert.Equal(2000, store.Get(1, 2) ?? 2000);
                    Assert.Equal(3000, store.Get(1, 3) ?? 3000);
                },
                () =>
                {
                    for (long key = 5; key <= 7; key++) store.Put(2, key, key * 1000);
                },
            ],
            () => Check(store, present: [1, 5, 6, 7], absent: [2, 3]));
    }

    private static ScheduledStore<WordShape> Chain(int sessions, int keys, int freeBatch = 128)
    {
        var store = new ScheduledStore<WordShape>(RecordAllocatorKind.InMemory, sessions, freeBatch: freeBatch);
        for (long key = 1; key <= keys; key++) store.Put(0, key, key * 1000);
        return store;
    }

    private static void Look(ScheduledStore<WordShape> store, int session, long key) =>
        Assert.Equal(key, store.Get(session, key) / 1000);

    private static void Check(ScheduledStore<WordShape> store, long[] present, long[] absent)
    {
        Assert.All(present, key => Look(store, 0, key));
        Assert.All(present, key => Assert.Equal(1, store.CountInChain(key)));
        Assert.All(absent, key => Assert.Null(store.Get(0, key)));
        Assert.All(absent, key => Assert.Equal(0, store.CountInChain(key)));
        store.Dispose();
    }
}
