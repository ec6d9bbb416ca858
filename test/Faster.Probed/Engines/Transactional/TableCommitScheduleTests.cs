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

    private static readonly TransactionalOptions
        Plain = new(), Locking = new() { ReadsLock = true }, Calc = new() { CommitAlgorithm = CommitAlgorithm.Calc };

    [Fact]
    public void A_commit_beside_transactions_is_a_closed_prefix()
    {
        foreach (TransactionalOptions options in new[] { Plain, Locking, Calc })
        {
            Explorer.Run(Options, () => Transfers(options)).AssertClean();
            Explorer.Run(Options, () => ReadersAndWriters(options)).AssertClean();
            Explorer.Run(Options, () => SingleKeys(options)).AssertClean();
            Explorer.Run(Options, () => NewKeys(options)).AssertClean();
            Explorer.Run(Options, () => TwoReaders(options)).AssertClean();
        }
    }

    [Fact]
    public void The_version_does_not_make_a_key_again_that_the_next_one_has_deleted() =>
        Explorer.Run(Options, () => Deleted(Plain)).AssertClean();

    [Fact]
    public void Nor_does_it_where_each_transaction_is_in_a_commit_log() =>
        Explorer.Run(Options, () => Deleted(Calc)).AssertClean();

    [Fact]
    public void A_version_that_is_not_read_with_the_place_in_the_log_is_found() => AssertFound(
        SeededBug.VersionReadApart, () => ReadersAndWriters(Calc), ScheduledTableCommit.NotClosed,
        ScheduledTableCommit.NoPrefix);

    [Fact]
    public void An_attempt_that_uses_what_the_next_version_has_stamped_is_found() =>
        AssertFound(SeededBug.PrepareAcceptsNext, () => Transfers(Plain), ScheduledTableCommit.NotClosed,
            ScheduledTableCommit.NoPrefix);

    [Fact]
    public void Reads_without_a_stamp_are_found() =>
        AssertFound(SeededBug.ReadsNotStamped, () => ReadersAndWriters(Locking), ScheduledTableCommit.NotClosed);

    [Fact]
    public void Absence_without_a_stamp_is_found()
    {
        AssertFound(SeededBug.AbsenceNotStamped, () => NewKeys(Locking), ScheduledTableCommit.NotClosed);
        AssertFound(
            SeededBug.AbsenceNotStamped, () => Deleted(Plain), ScheduledTableCommit.MadeAnew,
            ScheduledTableCommit.Twice);
    }

    [Fact]
    public void A_change_without_a_capture_is_found() =>
        AssertFound(SeededBug.NotCaptured, () => Transfers(Plain), ScheduledTableCommit.NoPrefix);

    [Fact]
    public void A_sweep_of_records_that_change_is_found() => AssertFound(
        SeededBug.SweptWhileChanged, () => Transfers(Plain), ScheduledTableCommit.NoPrefix,
        ScheduledTableCommit.Twice);

    [Fact]
    public void A_record_that_two_readers_capture_is_found() =>
        AssertFound(SeededBug.CapturedTwice, () => TwoReaders(Locking), ScheduledTableCommit.Twice);

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Search with { Bugs = [bug] }, scenario).AssertFound(how);

    private static Scenario Transfers(TransactionalOptions options)
    {
        var store = new ScheduledTableCommit(2, options);
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

    private static Scenario ReadersAndWriters(TransactionalOptions options)
    {
        var store = new ScheduledTableCommit(2, options);
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

    private static Scenario TwoReaders(TransactionalOptions options)
    {
        var store = new ScheduledTableCommit(2, options);
        store.Run(0, [1]);
        return store.Beside(() => store.Run(0, [], 1), () => store.Run(1, [], 1));
    }

    private static Scenario SingleKeys(TransactionalOptions options)
    {
        var store = new ScheduledTableCommit(2, options);
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

    private static Scenario NewKeys(TransactionalOptions options)
    {
        var store = new ScheduledTableCommit(2, options);
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
    private static Scenario Deleted(TransactionalOptions options)
    {
        var store = new ScheduledTableCommit(2, options);
        store.Run(0, [1]);
        return store.Beside(() => store.Remove(0, 1), () => store.Run(1, [1]));
    }
}
