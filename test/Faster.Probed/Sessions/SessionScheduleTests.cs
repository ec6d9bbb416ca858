using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Sessions;

/// <summary>
/// The sessions that ship beside a commit, under controlled schedules: the hit at rest, the slower way, batches.
/// </summary>
public sealed class SessionScheduleTests
{
    // Few, for the I/O thread and the device are threads of each.
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(30), PreemptionBound = 3 };

    [Fact]
    public void A_commit_holds_an_exact_prefix_of_every_session() => Explorer.Run(Options, Singles).AssertClean();

    [Fact]
    public void It_does_of_batches_under_a_number_each_or_one_for_all() => Explorer.Run(Options, Batches).AssertClean();

    [Theory]
    [InlineData(SeededBug.NextUpdatesOld)]
    [InlineData(SeededBug.CommitReadsNext)]
    [InlineData(SeededBug.PointIgnoresNote)]
    internal void A_bug_that_sessions_meet_is_found(SeededBug bug) => AssertFound(bug, Singles);

    [Fact]
    public void A_batch_under_one_number_that_is_cut_is_found() => AssertFound(SeededBug.UnitsNotAwaited, OneBatch);

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 5000, PreemptionBound = 4 }, scenario)
        .AssertFound(CommitCheck.Lost, CommitCheck.NoPrefix);

    private static Scenario Singles()
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

    private static Scenario OneBatch()
    {
        var world = new ScheduledCommit<WordShape>(1);
        world.Add(0, 1);
        return Scenario(world, () => world.AddBatch(0, asOne: true, 1, 2));
    }

    private static Scenario Batches()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        return Scenario(
            world,
            () => world.AddBatch(0, asOne: true, 1, 2),
            () =>
            {
                world.AddBatch(1, asOne: false, 1, 2);
                world.AddBatch(1, asOne: true, 2, 1);
            });
    }

    private static Scenario Scenario(ScheduledCommit<WordShape> world, params Action[] clients) =>
        world.Beside(world.Commit, clients);
}
