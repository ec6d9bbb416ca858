using Faster.Contracts;
using Faster.Log;
using Faster.Probes;
using Faster.Tests.Analytics;
using Faster.Tests.Scheduling;
using static Faster.Tests.Engines.Tiered.FourKeys;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A subscriber that scans first, and again after a gap, beside updates, records that move, and truncation of both
/// logs, under controlled schedules: what it holds in the end is the store's state.
/// </summary>
/// <remarks>
/// A subscription waits for more of the log by tasks, which no schedule has. So the subscriber takes each step of it
/// when the log has more; then the step ends on the subscriber's thread, which is one of the schedule.
/// </remarks>
public sealed class TieredSubscriptionScheduleTests
{
    private const long Last = 5;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    private static readonly SubscribeOptions FromNow = new();
    private static readonly SubscribeOptions FromBeginning = new() { FromAddress = SubscribeOptions.Beginning };

    [Fact]
    public void A_scan_and_what_follows_are_the_state() =>
        Explorer.Run(Options, static () => FollowBesideMoves(FromNow)).AssertClean();

    [Fact]
    public void A_scan_and_what_follows_the_beginning_are_the_state() =>
        Explorer.Run(Options, static () => FollowBesideMoves(FromBeginning)).AssertClean();

    [Fact]
    public void A_start_that_is_taken_after_the_scan_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.SubscriptionStartsLate], Schedules = 10_000 },
            static () => FollowBesideMoves(FromNow))
        .AssertFound("Not the state");

    [Fact]
    public void A_beginning_that_is_taken_after_the_scan_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.SubscriptionStartsLate], Schedules = 10_000 },
            static () => FollowBesideMoves(FromBeginning))
        .AssertFound("Not the state");

    [Fact]
    public void A_gap_that_is_not_reported_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.GapNotReported], Schedules = 10_000 },
            static () => FollowBesideMoves(FromNow))
        .AssertFound("Not the state");

    // Key 1 is hot, another cold, a third in both tiers, and a fourth deleted above its cold record. All are changed in
    // the page that moves, or behind it.
    private static Scenario FollowBesideMoves(SubscribeOptions options)
    {
        ScheduledTiers tiers = FourKeys.Tiers(4);
        tiers.SealOff();
        bool isWritten = false;
        SortedDictionary<long, long?> state = [];
        return new Scenario(
            [
                () => Follow(tiers, options, state, () => isWritten),
                () =>
                {
                    tiers.Put(1, Hot, 12);
                    tiers.Remove(1, Both);
                    tiers.Put(1, Cold, 13);
                    tiers.Add(1, Deleted, 41);
                    tiers.Put(1, Last, 1);
                    PagedLog log = tiers.Store.Hot.PagedLog!;
                    long end = log.ShiftReadOnlyToTail();
                    ScheduledWaits.Run(tiers.Waits.UntilAsync(log.Gate, () => log.SafeImmutableAddress >= end));
                    isWritten = true;
                },
                () =>
                {
                    tiers.MoveFirstPageOfHot(2);
                    tiers.Release(tiers.Store.HotLog, tiers.Store.Hot);
                },
                () =>
                {
                    tiers.CompactFirstPage(3);
                    tiers.Release(tiers.Store.ColdLog, tiers.Store.Cold);
                },
            ],
            () =>
            {
                string held = string.Join(", ", state), wanted = string.Join(
                    ", ", new SortedDictionary<long, long?> { [Hot] = 12, [Cold] = 13, [Deleted] = 41, [Last] = 1 });
                Assert.True(held == wanted, $"Not the state: {held} for {wanted}");
                tiers.Dispose();
            });
    }

    // Until the record that is written last.
    private static void Follow(
        ScheduledTiers tiers, SubscribeOptions options, SortedDictionary<long, long?> state, Func<bool> isWritten)
    {
        IAsyncEnumerable<LogEntry<(long Key, long? Value)>> feed =
            tiers.Store.Analytics.SubscribeAsync(options, AnalyticsStores.Pair);
        Scan(tiers, state);
        ScheduledWaits.Run(tiers.Waits.UntilAsync(tiers.Store.Hot.PagedLog!.Gate, isWritten));
        IAsyncEnumerator<LogEntry<(long Key, long? Value)>> items = feed.GetAsyncEnumerator();
        for (long next = 0; !state.ContainsKey(Last);)
        {
            Task<bool> step = items.MoveNextAsync().AsTask();
            Assert.True(step.IsCompleted, "Not the state: nothing follows, and the last record is missing");
            Assert.True(step.Result);
            LogEntry<(long Key, long? Value)> item = items.Current;
            Assert.True(item.Address >= next && item.NextAddress > item.Address, "Not in the order of the log");
            next = item.NextAddress;
            if (item.IsGap) Scan(tiers, state);
            else if (item.Record.Value is null) state.Remove(item.Record.Key);
            else state[item.Record.Key] = item.Record.Value;
        }

        ScheduledWaits.Run(items.DisposeAsync().AsTask());
    }

    private static void Scan(ScheduledTiers tiers, SortedDictionary<long, long?> state)
    {
        state.Clear();
        foreach ((long key, long? value) in ScheduledTiers.Scan(tiers.CaptureScan())) state.Add(key, value);
    }
}
