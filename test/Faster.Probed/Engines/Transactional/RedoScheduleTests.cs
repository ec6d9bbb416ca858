using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// Transactions with a redo log under controlled schedules: a crash after any record leaves each transaction that was
/// acknowledged, and none without what it was built on.
/// </summary>
public sealed class RedoScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    private static readonly ExplorationOptions Search =
        new() { Schedules = 20_000, PreemptionBound = 4, Strategy = ExplorationStrategy.Priorities };

    private static readonly TransactionalOptions
        Plain = new(), Calc = new() { CommitAlgorithm = CommitAlgorithm.Calc }, Once = new() { MaxAttempts = 1 };

    [Fact]
    public void A_crash_after_any_record_leaves_a_closed_prefix_of_what_was_acknowledged()
    {
        foreach (TransactionalOptions options in new[] { Plain, Calc, Once })
        {
            Explorer.Run(Options, () => Transfers(options)).AssertClean();
            Explorer.Run(Options, () => Units(options)).AssertClean();
        }
    }

    [Fact]
    public void Beside_a_commit_the_log_has_what_the_commit_lacks()
    {
        foreach (TransactionalOptions options in new[] { Plain, Calc })
            Explorer.Run(Options, () => BesideCommit(options)).AssertClean();
    }

    [Fact]
    public void A_transaction_that_is_published_after_its_locks_are_released_is_found() => AssertFound(
        SeededBug.AppendAfterRelease, () => Transfers(Plain), ScheduledRedo.SumBroken, ScheduledRedo.Differs);

    [Fact]
    public void A_number_that_is_not_logged_is_found() =>
        AssertFound(SeededBug.NumberNotLogged, () => Transfers(Plain), ScheduledRedo.Lost);

    [Fact]
    public void A_conflict_that_takes_a_number_is_found() =>
        AssertFound(SeededBug.ConflictTakesNumber, () => Transfers(Once), ScheduledRedo.Numbered);

    [Fact]
    public void An_acknowledgment_that_does_not_wait_for_an_open_unit_is_found() =>
        AssertFound(SeededBug.OpenUnitNotAwaited, () => Units(Plain), ScheduledRedo.Lost);

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Search with { Bugs = [bug] }, scenario).AssertFound(how);

    private static Scenario Transfers(TransactionalOptions options)
    {
        var bank = new ScheduledRedo(2, options);
        return bank.Beside(
            () =>
            {
                _ = bank.Transfer(0, 1, 2, 10);
                _ = bank.Transfer(0, 2, 3, 1_000); // aborts
                bank.Touch(0, 3);
            },
            () =>
            {
                _ = bank.Transfer(1, 2, 3, 110); // if it has got enough
                bank.Close(1, 3, 0);
            });
    }

    private static Scenario Units(TransactionalOptions options)
    {
        var bank = new ScheduledRedo(2, options);
        return bank.Beside(
            () => bank.TransferInUnit(0, 100, (1, 2, 10), (2, 3, 20)),
            () =>
            {
                _ = bank.Transfer(1, 2, 0, 5);
                bank.Touch(1, 3);
            });
    }

    private static Scenario BesideCommit(TransactionalOptions options)
    {
        var bank = new ScheduledRedo(2, options);
        return bank.Beside(
            () =>
            {
                _ = bank.Transfer(0, 1, 2, 10);
                bank.Touch(0, 3);
            },
            () =>
            {
                bank.Close(1, 3, 2);
                bank.TransferInUnit(1, 50, (2, 0, 5), (0, 3, 1));
            },
            bank.Commit);
    }
}
