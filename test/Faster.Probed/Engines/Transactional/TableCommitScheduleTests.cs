using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// Commits beside transactions under controlled schedules: each holds an exact prefix of every session, closed under
/// what its transactions have built on; and each bug that takes one rule away is found by a commit that is not.
/// </summary>
public sealed class TableCommitScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    private static readonly ExplorationOptions Search =
        new() { Schedules = 40_000, PreemptionBound = 5, Strategy = ExplorationStrategy.Priorities };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_commit_beside_transactions_is_a_closed_prefix(bool readsLock)
    {
        Explorer.Run(Options, () => Transfers(readsLock)).AssertClean();
        Explorer.Run(Options, () => ReadersAndWriters(readsLock)).AssertClean();
        Explorer.Run(Options, () => SingleKeys(readsLock)).AssertClean();
        Explorer.Run(Options, () => NewKeys(readsLock)).AssertClean();
        Explorer.Run(Options, TwoReaders).AssertClean();
    }

    [Fact]
    public void A_key_that_the_next_version_has_deleted_is_not_made_anew_in_the_version() =>
        Explorer.Run(Options, Deleted).AssertClean();

    [Fact]
    public void An_attempt_that_uses_what_the_next_version_has_stamped_is_found() =>
        AssertFound(SeededBug.PrepareAcceptsNext, () => Transfers(false), ScheduledTableCommit.NotClosed,
            ScheduledTableCommit.NoPrefix);

    [Fact]
    public void Reads_without_a_stamp_are_found() =>
        AssertFound(SeededBug.ReadsNotStamped, () => ReadersAndWriters(true), ScheduledTableCommit.NotClosed);

    [Fact]
    public void Absence_without_a_stamp_is_found()
    {
        AssertFound(SeededBug.AbsenceNotStamped, () => NewKeys(true), ScheduledTableCommit.NotClosed);
        AssertFound(
            SeededBug.AbsenceNotStamped, Deleted, ScheduledTableCommit.MadeAnew, ScheduledTableCommit.Twice);
    }

    [Fact]
    public void A_change_without_a_capture_is_found() =>
        AssertFound(SeededBug.NotCaptured, () => Transfers(false), ScheduledTableCommit.NoPrefix);

    [Fact]
    public void A_sweep_of_records_that_change_is_found() => AssertFound(
        SeededBug.SweptWhileChanged, () => Transfers(false), ScheduledTableCommit.NoPrefix,
        ScheduledTableCommit.Twice);

    [Fact]
    public void A_record_that_two_readers_capture_is_found() =>
        AssertFound(SeededBug.CapturedTwice, () => TwoReaders(), ScheduledTableCommit.Twice);

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Search with { Bugs = [bug] }, scenario).AssertFound(how);

    private static Scenario Transfers(bool readsLock)
    {
        var store = new ScheduledTableCommit(2, readsLock);
        store.Run(0, [1, 2, 3]);
        return store.Beside(
            () =>
            {
                store.Run(0, [1, 2]);
                store.Run(0, [2, 3]);
            },
            () =>
            {
                store.Run(1, [3, 2]);
                store.Run(1, [1]);
            });
    }

    private static Scenario ReadersAndWriters(bool readsLock)
    {
        var store = new ScheduledTableCommit(2, readsLock);
        store.Run(0, [1, 2, 3]);
        return store.Beside(
            () =>
            {
                store.Run(0, [1], 2);
                store.Run(0, [3], 1);
            },
            () =>
            {
                store.Run(1, [2], 3);
                store.Run(1, [], 1, 2);
            });
    }

    private static Scenario TwoReaders()
    {
        var store = new ScheduledTableCommit(2, readsLock: true);
        store.Run(0, [1]);
        return store.Beside(() => store.Run(0, [], 1), () => store.Run(1, [], 1));
    }

    private static Scenario SingleKeys(bool readsLock)
    {
        var store = new ScheduledTableCommit(2, readsLock);
        store.Run(0, [1, 2]);
        return store.Beside(
            () =>
            {
                store.Add(0, 1);
                store.Get(0, 2);
            },
            () =>
            {
                store.Add(1, 2);
                store.Get(1, 1);
            });
    }

    private static Scenario NewKeys(bool readsLock)
    {
        var store = new ScheduledTableCommit(2, readsLock);
        return store.Beside(
            () =>
            {
                store.Run(0, [1], 2);
                store.Get(0, 4);
            },
            () =>
            {
                store.Run(1, [2, 4], 1);
                store.Add(1, 3);
            });
    }

    // One deletes a key; the other one makes it anew. If the commit lacks the deletion, it has the key as it was, or
    // what was made before.
    private static Scenario Deleted()
    {
        var store = new ScheduledTableCommit(2);
        store.Run(0, [1]);
        return store.Beside(() => store.Remove(0, 1), () => store.Run(1, [1]));
    }
}
