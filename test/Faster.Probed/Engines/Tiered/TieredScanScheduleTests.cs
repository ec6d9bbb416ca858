using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;
using static Faster.Tests.Engines.Tiered.FourKeys;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Scans beside records that move between the tiers and within the cold one, and whose logs are truncated, under
/// controlled schedules: each key that is there all the time is returned once, with a value that it had.
/// </summary>
public sealed class TieredScanScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    [Fact]
    public void A_scan_returns_what_moves_once() => Explorer.Run(Options, ScanBesideMoves).AssertClean();

    [Fact]
    public void A_scan_that_takes_the_cold_end_first_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.ScanEndsBelowFirst], Schedules = 10_000 }, ScanBesideMoves)
        .AssertFound("Not found: 1");

    [Fact]
    public void A_scan_whose_pin_comes_too_late_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.PinWithoutLook], Schedules = 10_000 }, ScanBesideMoves)
        .AssertFound("has been given up");

    [Fact]
    public void A_scan_returns_an_update_or_what_was_before_it() =>
        Explorer.Run(Options, ScanBesideUpdates).AssertClean();

    // Key 1 is hot, another cold, a third in both tiers, and a fourth deleted above its cold record.
    private static Scenario ScanBesideMoves()
    {
        ScheduledTiers tiers = Tiers(4);
        ScanPart[]? parts = null;
        return new Scenario(
            [
                () => parts = tiers.CaptureScan(),
                () =>
                {
                    tiers.MoveFirstPageOfHot(1);
                    tiers.Release(tiers.Store.HotLog, tiers.Store.Hot);
                },
                () =>
                {
                    tiers.CompactFirstPage(2);
                    tiers.Release(tiers.Store.ColdLog, tiers.Store.Cold);
                },
            ],
            () =>
            {
                List<(long Key, long? Value)> live = ScheduledTiers.Scan(parts!);
                foreach (long key in new[] { Hot, Cold, Both })
                {
                    Assert.True(live.Exists(pair => pair.Key == key), $"Not found: {key}");
                    Assert.Single(live, pair => pair.Key == key);
                }

                Assert.Equal([(Hot, 10), (Both, 30), (Cold, 11)], live.OrderBy(static pair => pair.Key));
                tiers.Dispose();
            });
    }

    private static Scenario ScanBesideUpdates()
    {
        ScheduledTiers tiers = Tiers(4);
        ScanPart[]? parts = null;
        return new Scenario(
            [
                () => parts = tiers.CaptureScan(),
                () => tiers.MoveFirstPageOfHot(1),
                () => tiers.Add(2, Hot, 1),
                () =>
                {
                    tiers.Put(3, Cold, 12);
                    tiers.Put(3, Deleted, 40);
                },
            ],
            () =>
            {
                List<(long Key, long? Value)> live = ScheduledTiers.Scan(parts!);
                Assert.Contains(Assert.Single(live, static pair => pair.Key == Hot).Value, new long?[] { 10, 11 });
                Assert.Contains(Assert.Single(live, static pair => pair.Key == Cold).Value, new long?[] { 11, 12 });
                Assert.Equal(30, Assert.Single(live, static pair => pair.Key == Both).Value);
                Assert.InRange(live.Count(static pair => pair.Key == Deleted), 0, 1);
                tiers.Dispose();
            });
    }

    private static ScheduledTiers Tiers(int clients)
    {
        ScheduledTiers tiers = FourKeys.Tiers(clients);
        tiers.ShiftReadOnly();
        return tiers;
    }
}
