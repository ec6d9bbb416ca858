using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Expiry;

/// <summary>Records that expire, under the controlled scheduler: the time passes between any two steps.</summary>
public sealed class ExpiryScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(250), PreemptionBound = 3 };

    // What differs in the shape of its values only.
    private static readonly ExplorationOptions Variant = Options with { Schedules = TestBudget.Times(100) };

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, false)]
    [InlineData(RecordAllocatorKind.Hybrid, true)]
    [InlineData(RecordAllocatorKind.AppendOnly, false)]
    [InlineData(RecordAllocatorKind.InMemory, false)]
    public void A_key_that_is_renewed_in_time_is_never_absent(RecordAllocatorKind kind, bool frozen)
    {
        Explorer.Run(Options, () => Renew<WordShape>(kind, frozen)).AssertClean();
        Explorer.Run(Options, () => Renew<WordShape>(kind, frozen, isFirst: false)).AssertClean();
        Explorer.Run(Variant, () => Renew<VaryingShape>(kind, frozen)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, true)]
    [InlineData(RecordAllocatorKind.AppendOnly, false)]
    public void A_death_that_is_told_by_a_later_time_is_found(RecordAllocatorKind kind, bool frozen) =>
        AssertFound(
            SeededBug.DeadByLaterClock, () => Renew<WordShape>(kind, frozen, isFirst: false), "Not found:  null");

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, false)]
    [InlineData(RecordAllocatorKind.Hybrid, true)]
    [InlineData(RecordAllocatorKind.AppendOnly, false)]
    [InlineData(RecordAllocatorKind.InMemory, false)]
    public void A_record_that_was_seen_dead_is_not_updated(RecordAllocatorKind kind, bool frozen)
    {
        Explorer.Run(Options, () => UpdateLate<WordShape>(kind, frozen)).AssertClean();
        Explorer.Run(Variant, () => UpdateLate<HalfPageShape>(kind, frozen)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, true)]
    [InlineData(RecordAllocatorKind.AppendOnly, false)]
    public void A_copy_that_outlives_its_record_is_found(RecordAllocatorKind kind, bool frozen) =>
        AssertFound(SeededBug.CopyOutlivesRecord, () => UpdateLate<WordShape>(kind, frozen), "Values differ");

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, SeededBug.ReadExpiringWithoutLatch)]
    [InlineData(RecordAllocatorKind.InMemory, SeededBug.ReadExpiringWithoutLatch)]
    [InlineData(RecordAllocatorKind.Hybrid, SeededBug.ReadValueBeforeExpiry)]
    [InlineData(RecordAllocatorKind.InMemory, SeededBug.ReadValueBeforeExpiry)]
    [InlineData(RecordAllocatorKind.Hybrid, SeededBug.RenewBeforeWrite)]
    [InlineData(RecordAllocatorKind.InMemory, SeededBug.RenewBeforeWrite)]
    internal void A_read_that_takes_value_and_expiry_of_two_updates_is_found(RecordAllocatorKind kind, SeededBug bug) =>
        AssertFound(
            bug, () => UpdateLate<WordShape>(kind, frozen: false), "Item not found in collection", "Values differ");

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_record_that_is_read_was_alive_when_the_read_began(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => Shorten<WordShape>(kind)).AssertClean();
        Explorer.Run(Variant, () => Shorten<SwapShape>(kind)).AssertClean();
        Explorer.Run(Variant, () => Shorten<HalfPageShape>(kind)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_read_beside_the_holder_of_the_latch_is_found(RecordAllocatorKind kind) =>
        AssertFound(SeededBug.ReadExpiringWhileLatched, () => Shorten<WordShape>(kind), "Values differ");

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_record_that_is_dead_when_it_is_written_is_never_read(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => WriteDead<WordShape>(kind)).AssertClean();
        AssertFound(SeededBug.PastInPlace, () => WriteDead<WordShape>(kind), "Item not found in collection");
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, false)]
    [InlineData(RecordAllocatorKind.Hybrid, true)]
    [InlineData(RecordAllocatorKind.InMemory, false)]
    public void A_time_that_is_seldom_read_is_one_time_for_all(RecordAllocatorKind kind, bool frozen) =>
        Explorer.Run(Options, () => UpdateLate<WordShape>(kind, frozen, isRecent: true)).AssertClean();

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void An_expired_record_comes_back_whole(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => Revive<WordShape>(kind)).AssertClean();
        Explorer.Run(Variant, () => Revive<HalfPageShape>(kind)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_record_that_gets_a_time_to_live_loses_no_update(RecordAllocatorKind kind) =>
        Explorer.Run(Options, () => Mix(kind)).AssertClean();

    [Fact]
    public void A_sweep_takes_out_what_is_dead_and_nothing_else()
    {
        Explorer.Run(Options, () => SweepBeside(renews: true)).AssertClean();
        Explorer.Run(Options, () => SweepBeside(renews: false)).AssertClean();
    }

    [Fact]
    public void A_sweep_without_a_second_look_is_found() =>
        AssertFound(SeededBug.SweepWithoutSecondLook, () => SweepBeside(renews: true), "Values differ");

    [Fact]
    public void A_copy_in_the_read_cache_dies_with_its_record()
    {
        Explorer.Run(Options, Cached<WordShape>).AssertClean();
        Explorer.Run(Variant, Cached<HalfPageShape>).AssertClean();
    }

    [Fact]
    public void A_copy_in_the_read_cache_that_forgets_its_expiry_is_found() =>
        AssertFound(SeededBug.CachedForgetsExpiry, Cached<WordShape>, "Assert.Null() Failure");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 3000 }, scenario).AssertFound(how);

    private static ScheduledStore<TShape> Start<TShape>(
        RecordAllocatorKind kind, ManualTime time, bool frozen, params long[] timesToLive)
        where TShape : struct, IShape => Start<TShape>(kind, time, frozen, isRecent: false, timesToLive);

    private static ScheduledStore<TShape> Start<TShape>(
        RecordAllocatorKind kind, ManualTime time, bool frozen, bool isRecent, long[] timesToLive)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(kind, timesToLive.Length, time: time, isRecent: isRecent);
        for (int i = 0; i < timesToLive.Length; i++) store.SetTimeToLive(i, timesToLive[i]);
        store.Put(0, 1, 5);
        if (frozen) store.ShiftReadOnly();
        return store;
    }

    // The key has 5 until 9, and 7 from then on. It is the first of its chain, where the first attempt looks, or not.
    private static Scenario Renew<TShape>(RecordAllocatorKind kind, bool frozen, bool isFirst = true)
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        ScheduledStore<TShape> store = Start<TShape>(kind, time, frozen, 10, 10);
        if (!isFirst) store.Put(0, 2, 1);
        return new Scenario(
            [
                () =>
                {
                    time.Advance(9);
                    store.Put(0, 1, 7);
                    time.Advance(3);
                },
                () => Assert.Contains(store.Get(1, 1), new long?[] { 5, 7 }),
            ],
            () =>
            {
                Assert.Equal(7, store.Get(1, 1));
                store.Dispose();
            });
    }

    // A session that finds the key absent knows that 5 is gone: what is added later begins anew. With a coarse clock,
    // additions and long-lived writes use only the time that others have read; reads use the time itself.
    private static Scenario UpdateLate<TShape>(RecordAllocatorKind kind, bool frozen, bool isRecent = false)
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        long unit = isRecent ? 500 : 1;
        ScheduledStore<TShape> store = Start<TShape>(kind, time, frozen, isRecent, [10 * unit, 100 * unit, 10 * unit]);
        long? seen = -1;
        return new Scenario(
            [
                () => store.Add(1, 1, 1),
                () =>
                {
                    time.Advance(12 * unit);
                    seen = store.Get(2, 1);
                },
            ],
            () =>
            {
                long? last = store.Get(2, 1);
                Assert.Contains(seen, new long?[] { null, 1, 6 });
                Assert.Equal(seen ?? 1, last);
                store.Dispose();
            });
    }

    // What is added takes a time away that the record had: it lives until 10, or begins after 12.
    private static Scenario Shorten<TShape>(RecordAllocatorKind kind)
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        ScheduledStore<TShape> store = Start<TShape>(kind, time, frozen: false, 100, 10, 10);
        long? seen = -1;
        return new Scenario(
            [
                () => store.Add(1, 1, 1),
                () =>
                {
                    time.Advance(12);
                    seen = store.Get(2, 1);
                },
            ],
            () =>
            {
                Assert.Contains(seen, new long?[] { null, 5, 6 });
                Assert.Equal(seen is null ? null : 6, store.Get(2, 1));
                store.Dispose();
            });
    }

    // An import brings a value that has expired already.
    private static Scenario WriteDead<TShape>(RecordAllocatorKind kind)
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        ScheduledStore<TShape> store = Start<TShape>(kind, time, frozen: false, 100, 0, 10);
        store.SetLifeUntil(1, time.Now - 1);
        return new Scenario(
            [
                () => store.Put(1, 1, 7),
                () => Assert.Contains(store.Get(2, 1), new long?[] { null, 5 }),
            ],
            () =>
            {
                Assert.Null(store.Get(2, 1));
                store.Dispose();
            });
    }

    // The key has 5 until 10, on disk: a read makes a copy.
    private static Scenario Cached<TShape>()
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        var store = new ScheduledStore<TShape>(RecordAllocatorKind.Hybrid, 4, cached: true, time: time);
        store.SetTimeToLive(0, 10);
        store.Put(0, 1, 5);
        store.Spill();
        return new Scenario(
            [
                () =>
                {
                    time.Advance(10);
                    Assert.Null(store.Get(1, 1));
                },
                () =>
                {
                    long? before = store.Get(2, 1), after = store.Get(2, 1);
                    Assert.Contains(before, new long?[] { null, 5 });
                    if (before is null) Assert.Null(after);
                },
            ],
            () =>
            {
                Assert.Null(store.Get(1, 1));
                store.Add(3, 1, 1);
                Assert.Equal(1, store.Get(3, 1));
                store.Dispose();
            });
    }

    private static Scenario Revive<TShape>(RecordAllocatorKind kind)
        where TShape : struct, IShape
    {
        var time = new ManualTime();
        ScheduledStore<TShape> store = Start<TShape>(kind, time, frozen: false, 10, 10, 10);
        return new Scenario(
            [
                () =>
                {
                    time.Advance(10);
                    store.Put(0, 1, 7);
                },
                () => Assert.Contains(store.Get(1, 1), new long?[] { null, 1, 5, 6, 7, 8 }),
                () => store.Add(2, 1, 1),
            ],
            () =>
            {
                Assert.Contains(store.Get(1, 1), new long?[] { 7, 8 });
                store.Dispose();
            });
    }

    // Another key's record stands behind the one that dies, and before it.
    private static Scenario SweepBeside(bool renews)
    {
        var time = new ManualTime();
        ScheduledStore<WordShape> store =
            Start<WordShape>(RecordAllocatorKind.InMemory, time, frozen: false, 0, 100, 10, 10);
        store.Put(2, 2, 10);
        store.Put(0, 3, 30);
        time.Advance(10);
        return new Scenario(
            [
                () =>
                {
                    if (renews) store.Put(1, 2, 11);
                    else _ = store.Remove(1, 2);
                    Assert.Equal(renews ? 11 : null, store.Get(1, 2));
                },
                () => store.Sweep(2),
                () =>
                {
                    _ = store.Remove(3, 3);
                    store.Sweep(3);
                },
            ],
            () =>
            {
                Assert.Equal(5, store.Get(1, 1));
                Assert.Equal(renews ? 11 : null, store.Get(1, 2));
                Assert.Equal(renews ? 1 : 0, store.CountInChain(2));
                Assert.Null(store.Get(1, 3));
                store.Dispose();
            });
    }

    // A word that sessions add to, some of which make it expire.
    private static Scenario Mix(RecordAllocatorKind kind)
    {
        ScheduledStore<SwapShape> store = Start<SwapShape>(kind, new ManualTime(), frozen: false, 0, 10, 0);
        return new Scenario(
            [() => store.Add(0, 1, 1), () => store.Add(1, 1, 2), () => store.Add(2, 1, 4)],
            () =>
            {
                Assert.Equal(12, store.Get(0, 1));
                store.Dispose();
            });
    }
}
