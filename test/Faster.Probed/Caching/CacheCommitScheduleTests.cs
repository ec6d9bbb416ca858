using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Caching;

/// <summary>Copies that are made and used while a commit shifts versions, under controlled schedules.</summary>
public sealed class CacheCommitScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    [Fact]
    public void Copies_made_while_versions_shift_disturb_no_prefix() =>
        Explorer.Run(Options, ReadBesideCommit).AssertClean();

    [Fact]
    public void A_stale_copy_beside_a_commit_is_found() =>
        AssertFound(SeededBug.FillWithoutProof, ReadBesideCommit, CommitCheck.Lost, CommitCheck.NoPrefix);

    [Fact]
    public void An_update_of_a_copy_waits_for_operations_of_the_version_that_is_committed() =>
        Explorer.Run(Options, LateBesideCopy).AssertClean();

    [Fact]
    public void An_update_of_a_copy_that_does_not_take_the_bucket_is_found() =>
        AssertFound(SeededBug.CachedWithoutBucket, LateBesideCopy, "Livelock", CommitCheck.Lost, CommitCheck.NoPrefix);

    [Fact]
    public void Compaction_of_what_is_being_cached_beside_a_commit_loses_nothing() =>
        Explorer.Run(Options, CompactBesideCommit).AssertClean();

    [Theory]
    [InlineData(SeededBug.CompactionTrustsCached)]
    [InlineData(SeededBug.BeginAfterShift)]
    internal void A_bug_between_copies_compaction_and_commit_is_found(SeededBug bug) =>
        AssertFound(bug, CompactBesideCommit, CommitCheck.Lost, CommitCheck.NoPrefix);

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 20_000, PreemptionBound = 4 }, scenario).AssertFound(how);

    private static Scenario ReadBesideCommit()
    {
        ScheduledCommit<WordShape> world = Begun(3);
        world.SpillBesideCache();
        return Scenario(
            world,
            () => world.Add(0, 1),
            () =>
            {
                world.Add(1, 1);
                world.Add(1, 1);
            },
            () =>
            {
                for (int i = 0; i < 2; i++) world.Read(2, 1);
            });
    }

    private static Scenario LateBesideCopy()
    {
        ScheduledCommit<WordShape> world = Begun(2);
        world.SpillBesideCache();
        return Scenario(
            world,
            () => world.AddLate(0, 1),
            () =>
            {
                world.Read(1, 1);
                world.Add(1, 1);
                world.Add(1, 1);
            });
    }

    private static Scenario CompactBesideCommit()
    {
        ScheduledCommit<WordShape> world = Begun(2);
        world.SpillBesideCache();
        return Scenario(
            world,
            () => world.Compact(1, 1),
            () =>
            {
                for (int i = 0; i < 2; i++) world.Read(0, 1);
            });
    }

    private static ScheduledCommit<WordShape> Begun(int clients)
    {
        var world = new ScheduledCommit<WordShape>(clients);
        world.Add(0, 1);
        return world;
    }

    private static Scenario Scenario(ScheduledCommit<WordShape> world, params Action[] clients) =>
        world.Beside(world.Commit, clients);
}
