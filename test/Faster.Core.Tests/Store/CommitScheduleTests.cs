using Faster.Contracts;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Store;

/// <summary>Commits under controlled schedules: every client's prefix is exact, and no update is lost.</summary>
public sealed class CommitScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(500), PreemptionBound = 3 };

    [Fact]
    public void A_commit_holds_an_exact_prefix_of_every_client()
    {
        Explorer.Run(Options, OneKey).AssertClean();
        Explorer.Run(Options, TwoKeys).AssertClean();
        Explorer.Run(
            new ExplorationOptions { Schedules = 1500, Strategy = ExplorationStrategy.Exhaustive, PreemptionBound = 2 },
            OneKey).AssertClean();
    }

    [Fact]
    public void A_copy_of_a_record_on_disk_is_as_good_as_the_record() =>
        Explorer.Run(Options, Copied).AssertClean();

    [Fact]
    public void Partial_values_are_told_apart_by_their_version()
    {
        Explorer.Run(Options, Partial<MergedWordShape>).AssertClean();
        Explorer.Run(Options, Partial<MergedSwapShape>).AssertClean();
    }

    [Theory]
    [InlineData(SeededBug.NextUpdatesOld)]
    [InlineData(SeededBug.CommitReadsNext)]
    public void A_sown_bug_is_found_among_partial_values(SeededBug bug) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 20_000, PreemptionBound = 4 }, Partial<MergedWordShape>)
        .AssertFound();

    [Fact]
    public void Operations_that_wait_keep_their_place() => Explorer.Run(Options, Late).AssertClean();

    [Theory]
    [InlineData(SeededBug.NextUpdatesOld)]
    [InlineData(SeededBug.CommitReadsNext)]
    [InlineData(SeededBug.PhaseWithoutEpoch)]
    [InlineData(SeededBug.QuietLooksFirst)]
    [InlineData(SeededBug.RestWithoutResume)]
    [InlineData(SeededBug.PointIgnoresNote)]
    [InlineData(SeededBug.SharedIgnoresExclusive)]
    public void A_sown_bug_is_found(SeededBug bug) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 20_000, PreemptionBound = 4 }, Short).AssertFound();

    [Fact]
    public void An_exclusive_latch_beside_a_waiting_operation_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.ExclusiveIgnoresPending], Schedules = 6000 }, Late).AssertFound();

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
    private static Scenario Short()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
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

    // A whole record on disk, a partial one of the version that is committed in the mutable region.
    private static Scenario Partial<TShape>()
        where TShape : struct, IShape
    {
        var world = new ScheduledCommit<TShape>(2);
        world.Add(0, 1);
        world.Spill();
        world.Add(0, 1);
        return Scenario(
            world,
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

    private static Scenario Late()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(1, 1);
        return Scenario(
            world,
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

    private static Scenario Scenario<TShape>(ScheduledCommit<TShape> world, params Action[] clients)
        where TShape : struct, IShape =>
        new(
            [.. clients, world.Commit],
            () =>
            {
                world.Check();
                world.Dispose();
            });
}
