using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Tiered.Merging;

/// <summary>
/// Deltas in the hot tier above whole records in the cold one, while records move, under controlled schedules: nothing
/// is lost, and nothing counts twice.
/// </summary>
public sealed class TieredMergeScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(120), PreemptionBound = 3 };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_read_merges_deltas_with_the_base_that_they_had(bool merges) =>
        Explorer.Run(Options, () => ReadBesideMove(merges)).AssertClean();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_read_that_takes_what_has_moved_since_for_the_base_is_found(bool merges) => AssertFound(
        SeededBug.MergedReadIgnoresMoves, () => ReadBesideMove(merges), "Item not found", "Not found");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_collapse_by_an_update_has_the_base_that_its_deltas_have(bool isAbsent) =>
        Explorer.Run(Options, () => UpdateBesideMove(isAbsent)).AssertClean();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_collapse_that_ignores_the_truncation_is_found(bool isAbsent) => AssertFound(
        SeededBug.UpdateIgnoresTruncation, () => UpdateBesideMove(isAbsent), "not found in");

    [Fact]
    public void Deltas_become_a_whole_record_before_they_are_truncated() =>
        Explorer.Run(Options, CollapseBesideUpdates).AssertClean();

    [Fact]
    public void Deltas_that_end_at_the_begin_of_their_log_are_found() =>
        AssertFound(SeededBug.DeltasEndAtBegin, CollapseBesideUpdates, "not found in", "Values differ");

    [Fact]
    public void A_delta_that_moves_is_found() =>
        AssertFound(SeededBug.DeltaMoves, CollapseBesideUpdates, "a record that is copied so is whole");

    [Fact]
    public void A_collapse_without_seal_is_found() =>
        AssertFound(SeededBug.CollapseWithoutSeal, CollapseBesideUpdates, "Values differ");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_base_moves_from_below_its_deltas(bool isDeleted) =>
        Explorer.Run(Options, () => MoveBaseBesideUpdate(isDeleted)).AssertClean();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_base_that_is_truncated_below_its_deltas_is_found(bool isDeleted) => AssertFound(
        SeededBug.DeltaHidesBase, () => MoveBaseBesideUpdate(isDeleted), "not found in", "Values differ");

    [Fact]
    public void A_scan_returns_a_sum_that_there_was() => Explorer.Run(Options, ScanBesideMove).AssertClean();

    [Fact]
    public void A_scan_that_ends_the_cold_range_first_is_found() =>
        AssertFound(SeededBug.ScanEndsBelowFirst, ScanBesideMove, "not found in", "empty", "Values differ");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 10_000 }, scenario).AssertFound(how);

    // A delta in front of a cold base: both are read from disk, one after the other. Meanwhile the key gets a whole
    // value, which moves: one that is made of both, or another one. And a new record of the neighbor, on disk, is in
    // front of the chain then.
    private static Scenario ReadBesideMove(bool merges)
    {
        ScheduledTiers tiers = Cold();
        tiers.Merge(0, 1, 1);
        tiers.BeginSecondPage(isHot: true);
        tiers.Put(0, ScheduledTiers.Neighbor, 12);
        tiers.SendHotToDisk();
        tiers.Mark(1);
        return new Scenario(
            [
                () => Assert.Contains(tiers.Total(0, 1), new long?[] { 11, merges ? 13 : 100 }),
                () =>
                {
                    if (merges) tiers.Merge(1, 1, 2);
                    else tiers.Put(1, 1, 100);
                    tiers.MovePagesOfHot(1, 0, 3);
                    tiers.Put(1, ScheduledTiers.Neighbor, 13);
                    tiers.SendHotToDisk(pages: 4, client: 1);
                },
            ],
            () => CheckAndDispose(tiers, merges ? 13 : 100));
    }

    // An update reads the base in order to collapse its deltas. Meanwhile a whole value is written and moves, and maybe
    // gets a delta.
    private static Scenario UpdateBesideMove(bool isAbsent)
    {
        ScheduledTiers tiers = Cold();
        tiers.Merge(0, 1, 1);
        tiers.SealOff();
        tiers.Mark(1);
        return new Scenario(
            [
                () => tiers.Merge(0, 1, 2),
                () =>
                {
                    tiers.Put(1, 1, 100);
                    tiers.MoveFirstPageOfHot(1);
                    if (isAbsent) return;
                    tiers.Merge(1, 1, 4);
                    tiers.SealOff();
                },
            ],
            () =>
            {
                long sum = isAbsent ? 100 : 104;
                Assert.Contains(tiers.Total(0, 1), new long?[] { sum, sum + 2 });
                tiers.Dispose();
            });
    }

    private static Scenario CollapseBesideUpdates()
    {
        ScheduledTiers tiers = Cold();
        tiers.Merge(0, 1, 1);
        return new Scenario(
            [
                () => tiers.MoveFirstPageOfHot(0),
                () =>
                {
                    tiers.Merge(1, 1, 2);
                    tiers.Merge(1, 1, 4);
                },
                () => Assert.Contains(tiers.Total(2, 1), new long?[] { 11, 13, 17 }),
            ],
            () => CheckAndDispose(tiers, 17));
    }

    // The base, whole or a tombstone, lies in the first page of the hot log, on disk; a delta lies above.
    private static Scenario MoveBaseBesideUpdate(bool isDeleted)
    {
        ScheduledTiers tiers = Cold();
        if (isDeleted) tiers.Remove(0, 1);
        else tiers.Put(0, 1, 20);
        tiers.BeginSecondPage(isHot: true);
        tiers.Put(0, ScheduledTiers.Neighbor, 12);
        tiers.SendHotToDisk();
        tiers.Merge(0, 1, 1);
        long sum = isDeleted ? 1 : 21;
        return new Scenario(
            [
                () => tiers.MoveFirstPageOfHot(0),
                () => tiers.Merge(1, 1, 2),
                () => Assert.Contains(tiers.Total(2, 1), new long?[] { sum, sum + 2 }),
            ],
            () => CheckAndDispose(tiers, sum + 2));
    }

    private static Scenario ScanBesideMove()
    {
        ScheduledTiers tiers = Cold();
        tiers.Put(0, 1, 20);
        tiers.BeginSecondPage(isHot: true);
        tiers.Put(0, ScheduledTiers.Neighbor, 12);
        tiers.SendHotToDisk();
        tiers.Merge(0, 1, 1);
        return new Scenario(
            [
                () => tiers.MoveFirstPageOfHot(0),
                () => tiers.Merge(1, 1, 2),
                () =>
                {
                    (long _, long? value) = ScheduledTiers.Scan(tiers.CaptureScan()).Single(pair => pair.Key == 1);
                    Assert.Contains(value, new long?[] { 21, 23 });
                },
            ],
            () => CheckAndDispose(tiers, 23));
    }

    private static void CheckAndDispose(ScheduledTiers tiers, long? total)
    {
        Assert.Equal(total, tiers.Total(0, 1));
        tiers.Dispose();
    }

    // Key 1 and, in front of it in the same chain, a neighbor: both cold, on disk. The hot log is empty.
    private static ScheduledTiers Cold()
    {
        var tiers = new ScheduledTiers(3, schema: MergingOperations.Schema);
        tiers.PutCold(1, 10);
        tiers.PutCold(ScheduledTiers.Neighbor, 11);
        tiers.SendColdToDisk();
        return tiers;
    }
}
