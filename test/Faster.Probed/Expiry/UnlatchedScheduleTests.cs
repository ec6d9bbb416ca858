using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Expiry;

/// <summary>Words that are updated without the latch where records may expire, in controlled schedules.</summary>
public sealed class UnlatchedScheduleTests
{
    private const long Life = 60_000, OtherLife = 20_000;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_record_that_expires_while_it_is_updated_stays_dead(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => UpdateLate(kind, adds: false)).AssertClean();
        Explorer.Run(Options, () => UpdateLate(kind, adds: true)).AssertClean();
        Explorer.Run(Options, () => UpdateLate(kind, adds: true, keeps: true)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void Each_value_has_the_life_that_it_was_written_with(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => Mix(kind, adds: false)).AssertClean();
        Explorer.Run(Options, () => Mix(kind, adds: true)).AssertClean();
        Explorer.Run(Options, () => ReviveForGood(kind)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void An_expiry_that_is_mixed_in_place_is_found(RecordAllocatorKind kind)
    {
        AssertFound(SeededBug.MixesInPlace, () => Mix(kind, adds: false), "What never expires");
        AssertFound(SeededBug.MixesInPlace, () => Mix(kind, adds: true), "What never expires");
        AssertFound(SeededBug.MixesInPlace, () => ReviveForGood(kind), "What never expires");
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_second_time_to_live_begins_when_no_session_updates_by_the_first_any_more(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => AddLife(kind, waits: true)).AssertClean();
        Explorer.Run(Options with { Schedules = 3000 }, () => AddLife(kind, waits: false))
            .AssertFound("The other time to live");
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_record_that_gets_a_time_to_live_loses_no_update(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => GiveLife(kind, isBlind: false)).AssertClean();
        Explorer.Run(Options, () => GiveLife(kind, isBlind: true)).AssertClean();
        AssertFound(SeededBug.ReplacesUnlatched, () => GiveLife(kind, isBlind: false), "Values differ");
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void An_imported_record_gets_its_expiry_whatever_was_there(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => Import(kind, 0)).AssertClean();
        Explorer.Run(Options, () => Import(kind, Life)).AssertClean();
        AssertFound(SeededBug.MixesInPlace, () => Import(kind, Life), "What is imported");
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void An_update_that_must_renew_the_expiry_does(RecordAllocatorKind kind)
    {
        Explorer.Run(Options with { Schedules = 1 }, () => Renew(kind)).AssertClean();
        AssertFound(SeededBug.UnlatchedKeepsExpiry, () => Renew(kind), "Values differ");
    }

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 3000 }, scenario).AssertFound(how);

    // Key 1 has 5, written by the first session.
    private static ScheduledStore<SwapShape> Start(RecordAllocatorKind kind, ManualTime time, params long[] timesToLive)
    {
        var store = new ScheduledStore<SwapShape>(kind, timesToLive.Length, time: time, isRecent: true);
        for (int i = 0; i < timesToLive.Length; i++) store.SetTimeToLive(i, timesToLive[i]);
        store.Put(0, 1, 5);
        for (int i = 0; i < timesToLive.Length; i++) Assert.Equal(5, store.Get(i, 1)); // each notes its quiet epoch
        return store;
    }

    private static void Pass(ScheduledStore<SwapShape> store, ManualTime time, long milliseconds)
    {
        time.Advance(milliseconds);
        store.ReadTime();
    }

    // A session that keeps the expiry has no time to live.
    private static Scenario UpdateLate(RecordAllocatorKind kind, bool adds, bool keeps = false)
    {
        var time = new ManualTime();
        ScheduledStore<SwapShape> store = Start(kind, time, Life, keeps ? 0 : Life, 0);
        long? seen = -1;
        long late = adds ? 1 : 7;
        return new Scenario(
            [
                () =>
                {
                    if (adds) store.Add(1, 1, 1);
                    else store.Put(1, 1, 7);
                },
                () =>
                {
                    Pass(store, time, Life + 2_000);
                    seen = store.Get(2, 1);
                },
            ],
            () =>
            {
                Assert.Contains(seen, new long?[] { null, late });
                Assert.Contains(store.Get(2, 1), seen is null ? new long?[] { null, late } : [late]);
                store.Dispose();
            });
    }

    // One value has a time to live, the other has none.
    private static Scenario Mix(RecordAllocatorKind kind, bool adds)
    {
        var time = new ManualTime();
        ScheduledStore<SwapShape> store = Start(kind, time, Life, Life, 0);
        return new Scenario(
            [
                () =>
                {
                    if (adds) store.Add(1, 1, 2);
                    else store.Put(1, 1, 10);
                },
                () => store.Put(2, 1, 8),
            ],
            () => CheckLife(store, time));
    }

    // A dead record is written anew by a session without a time to live.
    private static Scenario ReviveForGood(RecordAllocatorKind kind)
    {
        var time = new ManualTime();
        ScheduledStore<SwapShape> store = Start(kind, time, Life, Life, 0);
        return new Scenario(
            [
                () => store.Put(1, 1, 10),
                () =>
                {
                    Pass(store, time, Life + 2_000);
                    store.Add(2, 1, 8);
                },
            ],
            () => CheckLife(store, time));
    }

    // 8 never expires.
    private static void CheckLife(ScheduledStore<SwapShape> store, ManualTime time)
    {
        long? last = store.Get(2, 1);
        Pass(store, time, (2 * Life) + 2_000);
        long? later = store.Get(2, 1);
        Assert.True(later == (last == 8 ? last : null), $"What never expires is 8: {last}, then {later}.");
        store.Dispose();
    }

    private static Scenario AddLife(RecordAllocatorKind kind, bool waits)
    {
        var time = new ManualTime();
        ScheduledStore<SwapShape> store = Start(kind, time, Life, Life, 0);
        return new Scenario(
            [
                () => store.Put(0, 1, 7),
                () =>
                {
                    store.ChangeTimeToLive(1, OtherLife, waits);
                    store.Put(1, 1, 8);
                },
            ],
            () =>
            {
                long? last = store.Get(2, 1);
                Pass(store, time, OtherLife + 2_000);
                long? later = store.Get(2, 1);
                Assert.True(later == (last == 8 ? null : 7), $"The other time to live is that of 8: {last}, {later}.");
                store.Dispose();
            });
    }

    // The record has no space for an expiry. It has been updated without its latch, and may be still.
    private static Scenario GiveLife(RecordAllocatorKind kind, bool isBlind)
    {
        ScheduledStore<SwapShape> store = Start(kind, new ManualTime(), 0, Life, 0);
        return new Scenario(
            [
                () => store.Add(0, 1, 1),
                () =>
                {
                    if (isBlind) store.Put(1, 1, 16);
                    else store.Add(1, 1, 2);
                },
                () => store.Add(2, 1, 4),
            ],
            () =>
            {
                long? last = store.Get(0, 1);
                if (isBlind) Assert.Contains(last, new long?[] { 16, 17, 20, 21 });
                else Assert.Equal(12, last);
                Assert.Equal(!isBlind, store.LatchesAll);
                store.Dispose();
            });
    }

    // The importing session has noted a quiet epoch before.
    private static Scenario Import(RecordAllocatorKind kind, long life)
    {
        var time = new ManualTime();
        ScheduledStore<SwapShape> store = Start(kind, time, life, life, 0);
        store.SetLifeUntil(1, time.Now + OtherLife);
        return new Scenario(
            [() => store.Put(0, 1, 7), () => store.Put(1, 1, 8)],
            () =>
            {
                long? last = store.Get(2, 1);
                Pass(store, time, OtherLife + 2_000);
                long? later = store.Get(2, 1);
                Assert.True(later == (last == 8 ? null : 7), $"What is imported is 8: {last}, then {later}.");
                store.Dispose();
            });
    }

    private static Scenario Renew(RecordAllocatorKind kind)
    {
        var time = new ManualTime();
        ScheduledStore<SwapShape> store = Start(kind, time, Life);
        return new Scenario(
            [
                () =>
                {
                    Pass(store, time, Life / 2);
                    store.Put(0, 1, 7);
                    Pass(store, time, (Life / 2) + 2_000);
                },
            ],
            () =>
            {
                Assert.Equal(7, store.Get(0, 1));
                store.Dispose();
            });
    }
}
