using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.LogCommits;

/// <summary>
/// Blind updates that link records in quiet epochs, beside commits under controlled schedules
/// (docs/internals/quiet-copies.md).
/// </summary>
public sealed class LinkScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    private static readonly ExplorationOptions Search =
        new() { Schedules = 40_000, PreemptionBound = 5, Strategy = ExplorationStrategy.Priorities };

    [Fact]
    public void Blind_updates_beside_a_commit_hold_an_exact_prefix()
    {
        Explorer.Run(Options, () => Beside(foldsOver: false)).AssertClean();
        Explorer.Run(Options, () => Beside(foldsOver: true)).AssertClean();
        Explorer.Run(Options, () => OnDisk(foldsOver: false)).AssertClean();
        Explorer.Run(Options, () => OnDisk(foldsOver: true)).AssertClean();
    }

    [Fact]
    public void Space_that_outlives_its_epoch_is_found() =>
        AssertFound(SeededBug.SpaceOutlivesEpoch, () => OnDisk(foldsOver: false), CommitCheck.NoPrefix);

    [Fact]
    public void An_operation_that_waits_keeps_its_place() => Explorer.Run(Options, Overwritten).AssertClean();

    [Fact]
    public void A_link_without_the_latch_beside_a_waiting_operation_is_found() =>
        // The operation meets a record of the next version, and retries indefinitely.
        AssertFound(SeededBug.LinkIgnoresLatches, Overwritten, "Livelock");

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Search with { Bugs = [bug] }, scenario).AssertFound(how);

    // The first update of the next version has noted the epoch as quiet: the second one links by that.
    private static Scenario Beside(bool foldsOver)
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Put(0, 1);
        world.Put(0, 2);
        world.Put(1, 3);
        return world.Beside(
            foldsOver ? world.FoldOver : world.Commit,
            () =>
            {
                world.Put(0, 1);
                world.Put(0, 2);
                world.Put(0, 1);
            },
            () => world.Put(1, 3));
    }

    // Records on disk are superseded at rest, too. The fourth record is the first in space for four.
    private static Scenario OnDisk(bool foldsOver)
    {
        var world = new ScheduledCommit<WordShape>(1);
        for (int key = 1; key <= 6; key++) world.Put(0, key);
        world.Spill();
        world.Settle();
        return world.Beside(
            foldsOver ? world.FoldOver : world.Commit,
            () =>
            {
                for (int key = 1; key <= 6; key++) world.Put(0, key);
            });
    }

    // An update of the version that is committed waits for the disk, while a client of the next one overwrites its key.
    private static Scenario Overwritten()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(1, 1);
        world.Spill();
        return world.Scenario(
            static () => { },
            () =>
            {
                world.Read(0, 9);
                world.Overwrite(0, 1);
            },
            () => world.AddLate(1, 1),
            world.Commit);
    }
}
