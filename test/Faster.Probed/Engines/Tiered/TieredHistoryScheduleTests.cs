using Faster.Analytics.History;
using Faster.Contracts;
using Faster.Engines.Tiered.Scans;
using Faster.LogSessions.Pending;
using Faster.Probes;
using Faster.Tests.Analytics;
using Faster.Tests.Scheduling;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// The history of a key beside moves, truncation of both logs and updates, under controlled schedules: what it has
/// captured is newest first, has the newest record, and none twice.
/// </summary>
public sealed class TieredHistoryScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    [Fact]
    public void It_is_newest_first_whatever_moves() => Explorer.Run(Options, HistoryBesideMoves).AssertClean();

    [Fact]
    public void A_history_with_copies_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.HistoryHasCopies], Schedules = 10_000 }, HistoryBesideMoves)
        .AssertFound("Not newest first, or twice");

    [Fact]
    public void A_history_whose_log_was_truncated_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.HistoryIgnoresTruncation], Schedules = 10_000 }, HistoryBesideMoves)
        .AssertFound("The newest is missing");

    // Key 1 has a cold record and two hot ones, of which one lies in the part that moves. A neighbor in its chain is
    // updated, and finds what was truncated.
    private static Scenario HistoryBesideMoves()
    {
        var tiers = new ScheduledTiers(4);
        tiers.PutCold(1, 10);
        tiers.SendColdToDisk();
        tiers.Put(0, 1, 20);
        tiers.SealOff();
        tiers.Put(0, 1, 21);
        tiers.ShiftReadOnly();
        TieredHistory? history = null;
        return new Scenario(
            [
                () => history = Capture(tiers),
                () => tiers.MoveFirstPageOfHot(1),
                () => tiers.CompactFirstPage(2),
                () =>
                {
                    _ = tiers.Get(3, 1);
                    tiers.Put(3, ScheduledTiers.Neighbor, 5);
                },
            ],
            () =>
            {
                long?[] values = [.. history!.RunAsync(AnalyticsStores.Pair, CancellationToken.None)
                    .ToBlockingEnumerable().Select(static past => past.Record.Value)];
                string text = string.Join(", ", values);
                for (int i = 1; i < values.Length; i++)
                    Assert.True(values[i - 1] > values[i], $"Not newest first, or twice: {text}");
                Assert.True(values is [21, ..], $"The newest is missing: {text}");
                history.Dispose();
                tiers.Dispose();
            });
    }

    private static TieredHistory Capture(ScheduledTiers tiers)
    {
        ulong hash = Key(1).Hash(tiers.Store.Hot.Seed);
        var history = new TieredHistory(
            tiers.Store.Analytics.Hot, tiers.Store.Analytics.Cold, tiers.Store.Moved,
            CapturedKey.Of(Key(1), hash, default), hash);
        history.Capture();
        return history;
    }
}
