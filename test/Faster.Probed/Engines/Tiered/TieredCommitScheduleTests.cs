using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Commits of two tiers beside operations, hot-cold compaction and its truncation, under controlled schedules: what a
/// recovery would find is the prefix of the session.
/// </summary>
public sealed class TieredCommitScheduleTests : IDisposable
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    private readonly TemporaryFolder _temporary = new();
    private readonly FolderFiles _files;

    public TieredCommitScheduleTests() => _files = FolderFiles.OpenFolder(_temporary.Path);

    public void Dispose()
    {
        _files.Dispose();
        _temporary.Dispose();
    }

    [Fact]
    public void A_record_that_moves_beside_a_commit_is_in_it() =>
        Explorer.Run(Options, () => CommitBesideMove(writes: false)).AssertClean();

    [Fact]
    public void A_move_beside_the_capture_is_found() => Explorer
        .Run(
            Options with { Bugs = [SeededBug.CopyBesideCapture], Schedules = 10_000 },
            () => CommitBesideMove(writes: false))
        .AssertFound(ScheduledTierCommit.BeyondEnd);

    [Fact]
    public void A_commit_has_no_value_of_the_next_version_that_has_moved() =>
        Explorer.Run(Options, () => CommitBesideMove(writes: true)).AssertClean();

    [Fact]
    public void A_lower_tier_that_is_captured_late_is_found() => Explorer
        .Run(
            Options with { Bugs = [SeededBug.LowerTierCapturedLate], Schedules = 10_000 },
            () => CommitBesideMove(writes: true))
        .AssertFound("Values differ", ScheduledTierCommit.BeyondEnd);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_update_of_a_cold_record_is_in_the_commit_up_to_its_point(bool removes) =>
        Explorer.Run(Options, () => CommitBesideUpdate(removes)).AssertClean();

    // Key 1 is cold with value 10, or hot with 20. A client may write 30 before its record moves.
    private Scenario CommitBesideMove(bool writes)
    {
        var tiers = new ScheduledTiers(1);
        tiers.PutCold(1, 10);
        if (!writes) tiers.Put(0, 1, 20);
        var commit = new ScheduledTierCommit(tiers, _files);
        return new Scenario(
            [
                () =>
                {
                    if (writes) tiers.Put(0, 1, 30);
                    tiers.MoveFirstPageOfHot(0);
                },
                commit.CommitNow,
            ],
            () =>
            {
                long expected = !writes ? 20 : commit.PointOf(0) == 0 ? 10 : 30;
                Assert.Equal(expected, commit.RecoveredValue());
                Assert.Equal(writes ? 30 : 20, tiers.Get(0, 1));
                tiers.Dispose();
            });
    }

    // Key 1 is cold, on disk. One client updates it, another one moves what it writes.
    private Scenario CommitBesideUpdate(bool removes)
    {
        var tiers = new ScheduledTiers(2);
        tiers.PutCold(1, 10);
        tiers.SendColdToDisk();
        var commit = new ScheduledTierCommit(tiers, _files);
        return new Scenario(
            [
                () =>
                {
                    if (removes) tiers.Remove(0, 1);
                    else tiers.Add(0, 1, 1);
                },
                () => tiers.MoveFirstPageOfHot(1),
                commit.CommitNow,
            ],
            () =>
            {
                long? after = removes ? null : 11;
                Assert.Equal(commit.PointOf(0) == 0 ? 10 : after, commit.RecoveredValue());
                Assert.Equal(after, tiers.Get(0, 1));
                tiers.Dispose();
            });
    }
}
