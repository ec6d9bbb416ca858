using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Operations beside records that move between the tiers, under controlled schedules: no update is lost, no key is
/// absent in between, and nothing that was deleted comes back.
/// </summary>
public sealed class TieredScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_update_of_a_cold_record_misses_no_record_that_moves(bool isCached) =>
        Explorer.Run(Options, () => UpdateBesideMove(isCached)).AssertClean();

    [Fact]
    public void An_update_that_ignores_the_truncation_is_found() => Explorer
        .Run(
            Options with { Bugs = [SeededBug.UpdateIgnoresTruncation], Schedules = 10_000 },
            () => UpdateBesideMove(isCached: false))
        .AssertFound("Not found:", "Collection:");

    [Fact]
    public void An_update_of_a_record_that_moves_after_it_was_read_loses_nothing() =>
        Explorer.Run(Options, UpdateBesideMoveFromDisk).AssertClean();

    [Fact]
    public void An_update_that_takes_such_a_record_for_absent_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.MovedSinceReadIsAbsent], Schedules = 10_000 }, UpdateBesideMoveFromDisk)
        .AssertFound("Actual:   1");

    [Fact]
    public void A_key_whose_record_moves_is_never_absent() => Explorer.Run(Options, ReadBesideMove).AssertClean();

    [Fact]
    public void A_copy_of_a_cold_record_that_ignores_the_truncation_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.CopyIgnoresTruncation], Schedules = 10_000 }, ReadBesideMove)
        .AssertFound("Values differ");

    [Theory]
    [InlineData("put")]
    [InlineData("add")]
    [InlineData("remove")]
    public void A_record_that_moves_hides_nothing_newer(string rival) =>
        Explorer.Run(Options, () => WriteBesideMove(rival)).AssertClean();

    [Fact]
    public void Of_two_records_of_a_key_the_newer_one_moves_whatever_the_order() =>
        Explorer.Run(Options, MoveByTwo).AssertClean();

    [Fact]
    public void A_move_without_search_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.MoveWithoutSearch], Schedules = 2000 }, MoveByTwo)
        .AssertFound("Values differ");

    [Fact]
    public void A_deletion_moves_too() => Explorer.Run(Options, RemoveAndMove).AssertClean();

    [Fact]
    public void A_tombstone_that_does_not_move_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.TombstoneStaysAbove], Schedules = 500 }, RemoveAndMove)
        .AssertFound("Actual:   10");

    [Fact]
    public void A_key_that_is_copied_within_the_cold_log_is_never_absent() =>
        Explorer.Run(Options, ReadBesideColdCompaction).AssertClean();

    [Fact]
    public void A_walk_into_what_was_truncated_that_takes_the_key_for_absent_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.TruncatedIsAbsent], Schedules = 10_000 }, ReadBesideColdCompaction)
        .AssertFound("Actual:   null");

    [Theory]
    [InlineData("put")]
    [InlineData("add")]
    [InlineData("remove")]
    public void A_cold_record_that_is_dropped_for_one_above_leaves_no_key_absent(string update) =>
        Explorer.Run(Options, () => UpdateAndDrop(update)).AssertClean();

    [Fact]
    public void A_record_that_is_dropped_for_another_key_above_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.LookupTrustsChain], Schedules = 500 }, () => UpdateAndDrop("put"))
        .AssertFound("Not found:", "Actual:   null", "Actual:   1");

    [Fact]
    public void A_truncation_that_does_not_wait_for_those_that_know_of_no_record_above_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.BeginWithoutEpoch], Schedules = 10_000 }, () => UpdateAndDrop("put"))
        .AssertFound("Not found:", "Collection:", "Actual:   null");

    [Fact]
    public void A_record_that_has_just_moved_is_not_dropped_for_the_one_that_it_is_a_copy_of() =>
        Explorer.Run(Options, MoveAndDrop).AssertClean();

    [Fact]
    public void Dropping_a_copy_for_its_own_record_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.DropIgnoresCopies], Schedules = 10_000 }, MoveAndDrop)
        .AssertFound("Actual:   null");

    [Fact]
    public void A_read_that_found_a_key_absent_above_misses_no_record_for_which_one_below_is_dropped() =>
        Explorer.Run(Options, ReadBesideDrop).AssertClean();

    [Fact]
    public void A_search_below_for_a_key_that_was_absent_above_some_time_ago_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.OldAbsenceLeadsBelow], Schedules = 10_000 }, ReadBesideDrop)
        .AssertFound("Not found:  null");

    [Fact]
    public void A_read_that_found_a_key_absent_above_some_time_ago_copies_no_record_from_below() =>
        Explorer.Run(Options, CopyBesideTruncation).AssertClean();

    [Fact]
    public void A_copy_after_an_old_walk_above_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.OldAbsenceIsCached], Schedules = 10_000 }, CopyBesideTruncation)
        .AssertFound("Actual:   10");

    // Key 1 is cold. A read of it has walked the hot chain, on disk, and is walking the cold one. It is continued when
    // the key has another record above, on disk and moved already, while Begin passes that.
    private static Scenario CopyBesideTruncation()
    {
        var tiers = new ScheduledTiers(2, isCached: true);
        tiers.PutCold(1, 10);
        tiers.SendColdToDisk();
        tiers.Put(0, ScheduledTiers.Neighbor, 12);
        tiers.SendHotToDisk(pages: 1);
        Func<long?> end = tiers.BeginGet(0, 1);
        tiers.Put(1, 1, 100);
        tiers.LeaveMemory(1, pages: 2);
        for (int page = 0; page < 2; page++) tiers.Move(1, newestFirst: false, page);
        return new Scenario(
            [() => Assert.Contains(end(), new long?[] { 10, 100 }), () => tiers.TruncateHot(pages: 2)],
            () =>
            {
                Assert.Equal(100, tiers.Get(0, 1));
                Assert.Equal(12, tiers.Get(0, ScheduledTiers.Neighbor));
                tiers.Dispose();
            });
    }

    // Key 1 is cold, with a neighbor in front that is not compacted; another record of the neighbor is hot. All three
    // are on disk. So a read of key 1 waits for the hot log, and then for the cold one. Meanwhile key 1 is updated; its
    // cold record is dropped, the hot one leaves memory, and moves.
    private static Scenario ReadBesideDrop()
    {
        var tiers = new ScheduledTiers(2);
        tiers.PutCold(1, 10);
        tiers.BeginSecondPage(isHot: false);
        tiers.PutCold(ScheduledTiers.Neighbor, 11);
        tiers.SendColdToDisk(pages: 2);
        tiers.Put(0, ScheduledTiers.Neighbor, 12);
        tiers.SendHotToDisk(pages: 1);
        return new Scenario(
            [
                () => Assert.Contains(tiers.Get(0, 1), new long?[] { 10, 100 }),
                () =>
                {
                    tiers.Put(1, 1, 100);
                    tiers.CompactFirstPage(1);
                    tiers.LeaveMemory(1, pages: 2);
                    tiers.MovePagesOfHot(1, first: 0, end: 2);
                },
            ],
            () =>
            {
                Assert.Equal(100, tiers.Get(0, 1));
                Assert.Equal(12, tiers.Get(0, ScheduledTiers.Neighbor));
                tiers.Dispose();
            });
    }

    // Key 1 is hot, and moves. The page of the cold log that it moves to is compacted meanwhile.
    private static Scenario MoveAndDrop()
    {
        var tiers = new ScheduledTiers(2);
        tiers.Put(0, 1, 10);
        return new Scenario(
            [() => tiers.MoveFirstPageOfHot(0), () => tiers.CompactFirstPage(1)],
            () =>
            {
                Assert.Equal(10, tiers.Get(0, 1));
                tiers.Dispose();
            });
    }

    // Key 1 is cold and on disk. It is updated above, so its cold record is not copied; then the hot record moves.
    private static Scenario UpdateAndDrop(string update)
    {
        ScheduledTiers tiers = Cold(isCached: true);
        long? updated = update switch { "put" => 100, "add" => 11, _ => null };
        return new Scenario(
            [
                () =>
                {
                    if (update == "put") tiers.Put(0, 1, 100);
                    else if (update == "add") tiers.Add(0, 1, 1);
                    else tiers.Remove(0, 1);
                    tiers.CompactFirstPage(0);
                    tiers.MoveFirstPageOfHot(0);
                },
                () => Assert.Contains(tiers.Get(1, 1), new long?[] { 10, updated }),
                () => tiers.Add(2, ScheduledTiers.Neighbor, 1),
            ],
            () =>
            {
                Assert.Equal(updated, tiers.Get(0, 1));
                Assert.Equal(12, tiers.Get(0, ScheduledTiers.Neighbor));
                tiers.Dispose();
            });
    }

    // Key 1 is cold and on disk. While it is updated, it is also written above, and that record is moved below.
    private static Scenario UpdateBesideMove(bool isCached)
    {
        ScheduledTiers tiers = Cold(isCached);
        return new Scenario(
            [
                () => tiers.Add(0, 1, 1),
                () =>
                {
                    tiers.Put(1, 1, 100);
                    tiers.MoveFirstPageOfHot(1);
                },
            ],
            () =>
            {
                Assert.Contains(tiers.Get(0, 1), new long?[] { 100, 101 });
                tiers.Dispose();
            });
    }

    // Key 1 and, in front of it in the same chain, a neighbor: both hot, on disk. Only the page of key 1 is moved, so
    // the chain on disk still begins where it began when key 1 was read.
    private static Scenario UpdateBesideMoveFromDisk()
    {
        var tiers = new ScheduledTiers(2);
        tiers.Put(0, 1, 10);
        tiers.BeginSecondPage(isHot: true);
        tiers.Put(0, ScheduledTiers.Neighbor, 20);
        tiers.SendHotToDisk();
        return new Scenario(
            [() => tiers.Add(0, 1, 1), () => tiers.MoveFirstPageOfHot(1)],
            () =>
            {
                Assert.Equal(11, tiers.Get(0, 1));
                tiers.Dispose();
            });
    }

    private static Scenario ReadBesideMove()
    {
        ScheduledTiers tiers = Cold(isCached: true);
        return new Scenario(
            [
                () => Assert.Contains(tiers.Get(0, 1), new long?[] { 10, 100 }),
                () =>
                {
                    tiers.Put(1, 1, 100);
                    tiers.MoveFirstPageOfHot(1);
                },
                () => Assert.Contains(tiers.Get(2, 1), new long?[] { 10, 100 }),
            ],
            () =>
            {
                Assert.Equal(100, tiers.Get(0, 1));
                tiers.Dispose();
            });
    }

    private static Scenario WriteBesideMove(string rival)
    {
        ScheduledTiers tiers = Cold(isCached: false);
        tiers.Put(0, 1, 20);
        tiers.ShiftReadOnly();
        return new Scenario(
            [
                () => tiers.MoveFirstPageOfHot(0),
                () =>
                {
                    if (rival == "put") tiers.Put(1, 1, 30);
                    else if (rival == "add") tiers.Add(1, 1, 1);
                    else tiers.Remove(1, 1);
                },
            ],
            () =>
            {
                Assert.Equal(rival switch { "put" => 30, "add" => 21, _ => (long?)null }, tiers.Get(0, 1));
                tiers.Dispose();
            });
    }

    private static Scenario MoveByTwo()
    {
        var tiers = new ScheduledTiers(3);
        tiers.Put(0, 1, 10);
        tiers.SealOff();
        tiers.Put(0, 1, 20);
        tiers.ShiftReadOnly();
        return new Scenario(
            [() => tiers.Move(0, newestFirst: false), () => tiers.Move(1, newestFirst: true)],
            () =>
            {
                tiers.TruncateHot();
                Assert.Equal(20, tiers.Get(2, 1));
                tiers.Dispose();
            });
    }

    private static Scenario RemoveAndMove()
    {
        ScheduledTiers tiers = Cold(isCached: false);
        return new Scenario(
            [
                () =>
                {
                    tiers.Remove(0, 1);
                    tiers.MoveFirstPageOfHot(0);
                    Assert.Null(tiers.Get(0, 1));
                },
                () => _ = tiers.Get(1, 1),
            ],
            () =>
            {
                Assert.Null(tiers.Get(0, 1));
                tiers.Dispose();
            });
    }

    // Figure 8 of paper 003: both keys lie in one chain on disk, and are copied to the tail.
    private static Scenario ReadBesideColdCompaction()
    {
        ScheduledTiers tiers = Cold(isCached: false);
        return new Scenario(
            [
                () => tiers.CompactFirstPage(0),
                () => Assert.Equal(10, tiers.Get(1, 1)),
                () => tiers.Add(2, ScheduledTiers.Neighbor, 1),
            ],
            () =>
            {
                Assert.Equal(10, tiers.Get(0, 1));
                Assert.Equal(12, tiers.Get(0, ScheduledTiers.Neighbor));
                tiers.Dispose();
            });
    }

    // Key 1 and, in front of it in the same chain, a neighbor: both cold, on disk. The hot log is empty.
    private static ScheduledTiers Cold(bool isCached)
    {
        var tiers = new ScheduledTiers(3, isCached);
        tiers.PutCold(1, 10);
        tiers.PutCold(ScheduledTiers.Neighbor, 11);
        tiers.SendColdToDisk();
        return tiers;
    }
}
