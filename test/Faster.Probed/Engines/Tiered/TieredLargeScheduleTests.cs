using Faster.Contracts;
using Faster.Log;
using Faster.Operations.Large;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Values in fragments that move between the tiers and within the cold one, under controlled schedules: none is lost,
/// torn, or hidden by an older one.
/// </summary>
/// <remarks>A value's number is at both ends, which lie in different fragments: a mixture of two is seen.</remarks>
public sealed class TieredLargeScheduleTests
{
    private const int Page = ScheduledLargeTiers.Page, Large = ScheduledLargeTiers.Large;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(60), PreemptionBound = 3, StepLimit = 200_000 };

    [Theory]
    [InlineData("small")]
    [InlineData("large")]
    [InlineData("rmw")]
    [InlineData("delete")]
    [InlineData("read")]
    public void A_value_that_moves_hides_nothing_newer_and_is_never_absent(string rival)
    {
        foreach (string head in (string[])["straddling", "whole", "mutable"])
            Explorer.Run(Options, () => MoveBeside(rival, head)).AssertClean();
    }

    [Fact]
    public void A_moved_value_that_is_taken_for_absent_is_found() =>
        AssertFound(SeededBug.MovedValueIsAbsent, () => MoveBeside("read", "straddling"), "Actual:   null");

    [Fact]
    public void A_pin_on_what_has_gone_is_found() =>
        AssertFound(SeededBug.PinWithoutLook, () => MoveBeside("read", "whole"), "has been given up");

    [Theory]
    [InlineData("rmw")]
    [InlineData("read")]
    [InlineData("put and move")]
    public void A_value_that_is_copied_within_the_cold_log_is_never_absent(string rival) =>
        Explorer.Run(Options, () => CompactColdBeside(rival)).AssertClean();

    [Fact]
    public void A_read_that_takes_fragments_that_have_gone_for_absence_is_found() =>
        AssertFound(SeededBug.FragmentsGoneIsAbsent, () => CompactColdBeside("read"), "Actual:   null");

    [Fact]
    public void An_update_of_a_cold_value_misses_no_record_that_moves() =>
        Explorer.Run(Options, UpdateBesideMove).AssertClean();

    [Fact]
    public void An_update_that_ignores_the_truncation_is_found() =>
        AssertFound(SeededBug.UpdateIgnoresTruncation, UpdateBesideMove, "Not found:", "Collection:");

    [Fact]
    public void A_value_whose_target_is_compacted_while_it_moves_is_not_lost() =>
        Explorer.Run(Options, MoveBesideColdCompaction).AssertClean();

    [Fact]
    public void A_head_that_is_linked_to_truncated_fragments_is_found() =>
        AssertFound(SeededBug.HeadIgnoresFloor, MoveBesideColdCompaction, "Expected: 10");

    [Fact]
    public void A_dead_value_hides_no_newer_one_that_moves_with_it() =>
        Explorer.Run(Options, MoveDeadAndNewer).AssertClean();

    [Fact]
    public void A_dead_value_that_moves_without_a_search_is_found() =>
        AssertFound(SeededBug.DeadHeadMovesWithoutSearch, MoveDeadAndNewer, "Actual:   null");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 4000 }, scenario).AssertFound(how);

    // Key 1 is hot and large. Its record lies above what is moved ("straddling", "mutable") or in it.
    private static Scenario MoveBeside(string rival, string head)
    {
        var tiers = new ScheduledLargeTiers(2);
        long until = Page;
        if (head == "mutable")
        {
            tiers.Put(0, 1, 5); // so that a deletion leaves the entry where it is
            LargeWrite write = tiers.Prepare(1, 10);
            tiers.PutPrepared(0, 1, write);
        }
        else
        {
            tiers.Put(0, 1, 10, Large);
            until = head == "whole" ? 2 * Page : Page;
            tiers.Push((head == "whole" ? 3 : 2) * Page);
        }

        Action beside = rival switch
        {
            "small" => () => tiers.Put(1, 1, 20),
            "large" => () => tiers.Put(1, 1, 20, Large),
            "rmw" => () => tiers.Add(1, 1, 1, Large),
            "delete" => () => tiers.Remove(1, 1),
            _ => () => Assert.Equal(10, tiers.Get(1, 1)),
        };
        long? expected = rival switch { "small" or "large" => 20, "rmw" => 11, "delete" => null, _ => 10 };
        return new Scenario(
            [() => tiers.MoveHot(until), beside],
            () =>
            {
                Assert.Equal(expected, tiers.Get(0, 1));
                tiers.Push(4 * Page);
                tiers.MoveHot(3 * Page);
                Assert.Equal(expected, tiers.Get(0, 1));
                End(tiers);
            });
    }

    // Key 1 is cold and large, and its record lies on disk, above what is compacted.
    private static Scenario CompactColdBeside(string rival)
    {
        ScheduledLargeTiers tiers = Cold(clients: 2);
        long hotEnd = 2 * Page;
        Action beside = rival switch
        {
            "rmw" => () => tiers.Add(1, 1, 1, Large),
            "read" => () => Assert.Equal(10, tiers.Get(1, 1)),
            _ => () =>
            {
                tiers.Put(1, 1, 20, Large);
                tiers.MoveHot(tiers.Hot.PagedLog!.PageStartOf(tiers.Hot.Log.TailAddress));
            }
        };
        return new Scenario(
            [() => tiers.CompactCold(hotEnd), beside],
            () =>
            {
                Assert.Equal(rival switch { "rmw" => 11, "read" => 10, _ => 20 }, tiers.Get(0, 1));
                End(tiers);
            });
    }

    // Key 1 is cold and large. While it is updated, it is also written above, and that record is moved below.
    private static Scenario UpdateBesideMove()
    {
        ScheduledLargeTiers tiers = Cold(clients: 2);
        return new Scenario(
            [
                () => tiers.Add(0, 1, 1, Large),
                () =>
                {
                    tiers.Put(1, 1, 100, Large);
                    tiers.MoveHot(tiers.Hot.PagedLog!.PageStartOf(tiers.Hot.Log.TailAddress));
                },
            ],
            () =>
            {
                Assert.Contains(tiers.Get(0, 1), new long?[] { 100, 101 });
                End(tiers);
            });
    }

    // Whatever of the value has been written to the cold log when the compaction comes by.
    private static Scenario MoveBesideColdCompaction()
    {
        var tiers = new ScheduledLargeTiers(1);
        tiers.Put(0, 1, 10, Large);
        tiers.Push(3 * Page);
        return new Scenario(
            [
                () => tiers.MoveHot(2 * Page),
                () =>
                {
                    Assert.True(Probe.Wait(() => tiers.Cold.Log.TailAddress > Page));
                    tiers.CompactCold(Page);
                },
            ],
            () =>
            {
                Assert.Equal(10, tiers.Get(0, 1));
                End(tiers);
            });
    }

    // Two large values of key 1 begin in what is moved, and their records lie above: that of the one that was deleted,
    // and in front of it that of the other, whose fragments lie below.
    private static Scenario MoveDeadAndNewer()
    {
        var tiers = new ScheduledLargeTiers(2);
        tiers.Put(0, 1, 5);
        LargeWrite newer = tiers.Prepare(1, 20), dead = tiers.Prepare(1, 10);
        tiers.PutPrepared(0, 1, dead);
        tiers.Remove(0, 1);
        tiers.PutPrepared(0, 1, newer);
        return new Scenario(
            [() => tiers.MoveHot(2 * Page), () => Assert.Equal(20, tiers.Get(1, 1))],
            () =>
            {
                Assert.Equal(20, tiers.Get(0, 1));
                End(tiers);
            });
    }

    private static ScheduledLargeTiers Cold(int clients)
    {
        var tiers = new ScheduledLargeTiers(clients);
        tiers.Put(0, 1, 10, Large);
        tiers.Push(4 * Page);
        tiers.MoveHot(3 * Page);
        tiers.SendToDisk(tiers.Cold);
        return tiers;
    }

    private static void End(ScheduledLargeTiers tiers)
    {
        foreach (PagedLog log in
            (PagedLog[])[tiers.Hot.PagedLog!, tiers.Cold.PagedLog!])
        {
            Assert.Equal(long.MaxValue, log.Pins.LowestPinned);
            Assert.Equal(0, log.Writes.Count);
        }

        tiers.Dispose();
    }
}
