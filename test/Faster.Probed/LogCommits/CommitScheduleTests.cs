using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.LogCommits;

/// <summary>Commits under controlled schedules: every client's prefix is exact, and no update is lost.</summary>
public sealed class CommitScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    // Few switches: a bug between a commit's phases needs some in the right places, and long runs between them.
    private static readonly ExplorationOptions Search =
        new() { Schedules = 40_000, PreemptionBound = 5, Strategy = ExplorationStrategy.Priorities };

    // For a bug that one switch in the right place shows: uniform choice seldom lets the others go far enough then.
    private static readonly ExplorationOptions FewSwitches = Options with { Strategy = ExplorationStrategy.Priorities };

    [Fact]
    public void A_commit_holds_an_exact_prefix_of_every_client()
    {
        Explorer.Run(Options, OneKey).AssertClean();
        Explorer.Run(Options, TwoKeys).AssertClean();
    }

    [Fact]
    public void It_does_in_every_schedule_of_few_preemptions()
    {
        Explorer.AssertAllClean(Shortest);
        Explorer.AssertAllClean(() => Short(), preemptions: 1);
    }

    [Fact]
    public void A_fold_over_that_rests_when_its_version_is_immutable_holds_an_exact_prefix()
    {
        Explorer.Run(Options, () => Short(foldsOver: true)).AssertClean();
        Explorer.Run(Options, () => Partial<MergedWordShape>(foldsOver: true)).AssertClean();
        Explorer.Run(Options, () => Late(foldsOver: true)).AssertClean();
    }

    [Fact]
    public void A_fold_over_that_freezes_nothing_is_found() =>
        AssertFound(SeededBug.FoldOverNotImmutable, () => Short(foldsOver: true), CommitCheck.Lost,
            CommitCheck.NoPrefix);

    [Fact]
    public void A_commit_takes_all_of_several_operations_under_one_number_or_none()
    {
        Explorer.Run(Options, () => Units(foldsOver: false)).AssertClean();
        Explorer.Run(Options, () => Units(foldsOver: true)).AssertClean();
    }

    [Fact]
    public void A_commit_that_cuts_such_operations_is_found() =>
        AssertFound(SeededBug.UnitsNotAwaited, () => Units(foldsOver: false), CommitCheck.NoPrefix);

    [Fact]
    public void A_commit_takes_all_of_a_unit_or_none_and_nothing_of_one_that_has_failed()
    {
        foreach (bool foldsOver in new[] { false, true })
        {
            Explorer.Run(Options, () => MixedUnits(foldsOver, failing: false)).AssertClean();
            Explorer.Run(Options, () => MixedUnits(foldsOver, failing: true)).AssertClean();
        }
    }

    [Fact]
    public void A_commit_that_has_a_part_of_a_failed_unit_is_found() => AssertFound(
        SeededBug.FailedUnitIsCommitted, () => MixedUnits(foldsOver: false, failing: true), CommitCheck.NoPrefix);

    [Fact]
    public void A_point_that_passes_the_number_of_an_open_unit_is_found() => AssertFound(
        SeededBug.UnitNumberedEarly, () => MixedUnits(foldsOver: false, failing: false), CommitCheck.NoPrefix);

    [Fact]
    public void No_operation_of_a_commit_sees_a_begin_that_the_commit_has_not() =>
        Explorer.Run(Options, Truncated).AssertClean();

    [Fact]
    public void A_begin_that_rises_beside_operations_of_a_commit_is_found() =>
        AssertFound(SeededBug.BeginRisesBesideCommit, Truncated, ScheduledCommit<WordShape>.SeesLaterBegin);

    [Fact]
    public void A_copy_of_a_record_on_disk_is_as_good_as_the_record() => Explorer.Run(Options, Copied).AssertClean();

    [Fact]
    public void Partial_values_are_told_apart_by_their_version()
    {
        Explorer.Run(Options, () => Partial<MergedWordShape>()).AssertClean();
        Explorer.Run(Options, () => Partial<MergedSwapShape>()).AssertClean();
    }

    [Theory]
    [InlineData(SeededBug.NextUpdatesOld)]
    [InlineData(SeededBug.CommitReadsNext)]
    internal void A_seeded_bug_is_found_among_partial_values(SeededBug bug) =>
        AssertFound(bug, () => Partial<MergedWordShape>(), CommitCheck.Lost, CommitCheck.NoPrefix);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Operations_that_wait_keep_their_place(bool readsByThemselves) =>
        Explorer.Run(Options, () => Late(hasQueues: readsByThemselves)).AssertClean();

    [Fact]
    public void An_operation_that_waits_for_the_disk_delays_no_commit_when_its_session_has_gone_on() =>
        Explorer.Run(FewSwitches, Gone).AssertClean();

    [Fact]
    public void A_read_that_began_unseen_is_found() =>
        // By as many schedules as look for such a bug in each run, whatever their seed.
        Explorer.Run(FewSwitches with { Bugs = [SeededBug.ReadWakesNobody] }, Gone).AssertFound("Deadlock");

    [Fact]
    public void Hits_beside_a_commit_update_no_record_of_its_version()
    {
        Explorer.Run(Options, () => Hits<WordShape>()).AssertClean();
        Explorer.Run(Options, () => Hits<SwapShape>()).AssertClean();
        Explorer.Run(Options, () => Hits<SwapShape>(foldsOver: true)).AssertClean();
        Explorer.Run(Options, () => Hits<MergedSwapShape>()).AssertClean();
    }

    [Fact]
    public void A_hit_that_updates_a_record_of_the_version_is_found()
    {
        AssertFound(SeededBug.HitUpdatesOld, () => Hits<WordShape>(), CommitCheck.NoPrefix);
        AssertFound(SeededBug.HitUpdatesOld, () => Hits<SwapShape>(), CommitCheck.NoPrefix);
    }

    [Fact]
    public void A_latch_that_is_released_leaves_the_version_that_was_stamped_since() =>
        Explorer.Run(Options, Stamped).AssertClean();

    [Fact]
    public void A_latch_that_restores_the_version_is_found() =>
        AssertFound(SeededBug.LatchRestoresVersion, Stamped, ScheduledCommit<MergedSwapShape>.NotStamped);

    [Theory]
    [InlineData(SeededBug.NextUpdatesOld)]
    [InlineData(SeededBug.CommitReadsNext)]
    [InlineData(SeededBug.PhaseWithoutEpoch)]
    [InlineData(SeededBug.QuietLooksFirst)]
    [InlineData(SeededBug.RestWithoutResume)]
    [InlineData(SeededBug.PointIgnoresNote)]
    [InlineData(SeededBug.SharedIgnoresExclusive)]
    internal void A_seeded_bug_is_found(SeededBug bug) =>
        AssertFound(bug, () => Short(), CommitCheck.Lost, CommitCheck.NoPrefix);

    [Fact]
    public void An_exclusive_latch_beside_a_waiting_operation_is_found() =>
        // The operation meets a record of the next version, and retries indefinitely.
        AssertFound(
            SeededBug.ExclusiveIgnoresPending, () => Late(), CommitCheck.Lost, CommitCheck.NoPrefix, "Livelock");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Search with { Bugs = [bug] }, scenario).AssertFound(how);

    private static Scenario OneKey()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
            () =>
            {
                for (int i = 0; i < 3; i++) world.Add(0, 1);
            },
            () =>
            {
                for (int i = 0; i < 3; i++) world.Add(1, 1);
            });
    }

    // Few steps, so that three switches in the right places are soon found.
    private static Scenario Short(bool foldsOver = false)
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
            foldsOver,
            () =>
            {
                world.Add(0, 1);
                world.Add(0, 1);
            },
            () =>
            {
                world.Add(1, 1);
                world.Add(1, 1);
            });
    }

    private static Scenario TwoKeys()
    {
        var world = new ScheduledCommit<WordShape>(3);
        world.Add(0, 1);
        return Scenario(
            world,
            () =>
            {
                world.Add(0, 1);
                world.Add(0, 2);
                world.Add(0, 1);
            },
            () =>
            {
                world.Add(1, 2);
                world.Add(1, 1);
            },
            () => world.Add(2, 3));
    }

    // The first update makes its record from the copy, at either version.
    private static Scenario Copied()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        world.SpillAndCopy(1);
        return Scenario(
            world,
            () =>
            {
                for (int i = 0; i < 2; i++) world.Add(0, 1);
            },
            () =>
            {
                for (int i = 0; i < 3; i++) world.Add(1, 1);
            });
    }

    // A client that has read during the commit has noted its epoch as quiet: its update may be a hit.
    private static Scenario Hits<TShape>(bool foldsOver = false)
        where TShape : struct, IShape
    {
        var world = new ScheduledCommit<TShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
            foldsOver,
            () =>
            {
                world.Read(0, 1);
                world.Add(0, 1);
                world.Add(0, 1);
            },
            () => world.Add(1, 1));
    }

    // After a commit: a read takes the latch of a delta, which is as old as the commit, and an update is a hit on it.
    private static Scenario Stamped()
    {
        var world = new ScheduledCommit<MergedSwapShape>(2);
        world.Add(0, 1);
        world.Spill();
        world.Add(0, 1);
        world.Commit();
        world.Settle();
        return world.Scenario(world.CheckStamped, () => world.Add(0, 1), () => world.Read(1, 1));
    }

    // A whole record on disk, a delta of the version that is committed in the mutable region.
    private static Scenario Partial<TShape>(bool foldsOver = false)
        where TShape : struct, IShape
    {
        var world = new ScheduledCommit<TShape>(2);
        world.Add(0, 1);
        world.Spill();
        world.Add(0, 1);
        return Scenario(
            world,
            foldsOver,
            () =>
            {
                world.Add(0, 1);
                world.Add(0, 1);
            },
            () =>
            {
                world.Add(1, 1);
                world.Add(1, 1);
            });
    }

    private static Scenario Late(bool foldsOver = false, bool hasQueues = true)
    {
        var world = new ScheduledCommit<WordShape>(2, hasQueues);
        world.Add(1, 1);
        world.Spill();
        return Scenario(
            world,
            foldsOver,
            () =>
            {
                world.AddLate(0, 1);
                world.Add(0, 1);
            },
            () =>
            {
                world.Add(1, 1);
                world.Add(1, 1);
            });
    }

    // Each update waits for the disk, and its session takes it no further: only the I/O thread can.
    private static Scenario Gone()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        world.Spill();
        return Scenario(world, () => world.AddLate(0, 1), () => world.AddLate(1, 1));
    }

    private static Scenario Shortest()
    {
        var world = new ScheduledCommit<WordShape>(1);
        world.Add(0, 1);
        return Scenario(world, () => world.Add(0, 1));
    }

    private static Scenario Units(bool foldsOver)
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
            foldsOver,
            () =>
            {
                world.Add(0, 1);
                world.AddBatch(0, asOne: true, 1, 2);
            },
            () => world.AddBatch(1, asOne: true, 2, 1));
    }

    private static Scenario MixedUnits(bool foldsOver, bool failing)
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
            foldsOver,
            () =>
            {
                world.AddUnit(0, completes: true, 1, 2);
                world.AddUnit(0, completes: !failing, 2, 1);
            },
            () => world.Add(1, 2));
    }

    // One page on disk is truncated.
    private static Scenario Truncated()
    {
        var world = new ScheduledCommit<WordShape>(1);
        world.Add(0, 1);
        world.Spill();
        return world.Scenario(world.CheckTruncated, world.Commit, world.Truncate, () => world.Read(0, 1));
    }

    private static Scenario Scenario<TShape>(ScheduledCommit<TShape> world, params Action[] clients)
        where TShape : struct, IShape => Scenario(world, foldsOver: false, clients);

    private static Scenario Scenario<TShape>(ScheduledCommit<TShape> world, bool foldsOver, params Action[] clients)
        where TShape : struct, IShape => world.Beside(foldsOver ? world.FoldOver : world.Commit, clients);
}
