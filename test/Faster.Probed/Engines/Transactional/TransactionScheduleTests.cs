using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// Two and three transactions over few records under controlled schedules: each history has an order, and each bug that
/// takes one rule away is found by one that has none.
/// </summary>
public sealed class TransactionScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(100), PreemptionBound = 3 };

    // What each session does: the keys that it writes, and those that it only reads.
    [Theory]
    [InlineData("12/", "21/")]
    [InlineData("1/2", "2/1")]
    [InlineData("12/", "/12")]
    [InlineData("12/", "/12", "/21")]
    [InlineData("1/2", "2/3", "3/1")]
    [InlineData("12/3", "23/1", "31/2")]
    [InlineData("12/", "1/", "/12")]
    [InlineData("123/", "/123", "321/")]
    public void Transactions_over_records_that_are_there_are_serializable(params string[] sessions) =>
        AssertSerializable(sessions, present: "123");

    [Theory]
    [InlineData("12/", "21/")]
    [InlineData("1/2", "2/1")]
    [InlineData("12/", "/12")]
    [InlineData("12/", "/12", "/21")]
    [InlineData("1/2", "2/3", "3/1")]
    [InlineData("12/", "1/", "/12")]
    public void Transactions_over_absent_records_are_serializable(params string[] sessions)
    {
        AssertSerializable(sessions, present: "");
        AssertSerializable(sessions, present: "1");
    }

    [Theory]
    [InlineData("grow and transfer")]
    [InlineData("grow and insert")]
    [InlineData("grow and delete")]
    public void The_index_grows_beside_transactions(string what) =>
        Explorer.Run(Options, () => Growth(what)).AssertClean();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Records_that_come_and_go_together_are_seen_together(bool readsLock) =>
        Explorer.Run(Options, () => ComeAndGo(readsLock)).AssertClean();

    [Fact]
    public void Neighbors_are_taken_out_beside_insertions_and_readers() =>
        Explorer.Run(Options, TakeOutNeighbors).AssertClean();

    [Fact]
    public void Neighbors_are_taken_out_in_every_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(TakeOutTwo, preemptions: 1);

    [Fact]
    public void Operations_on_single_keys_are_transactions() => Explorer.Run(Options, SingleKeys).AssertClean();

    [Fact]
    public void Reads_that_do_not_lock_are_found() =>
        AssertFound(SeededBug.ReadsNotLocked, () => Scenario(["1/2", "2/1"], "12", true, false), "A cycle");

    [Fact]
    public void Absence_that_is_not_locked_is_found()
    {
        AssertFound(SeededBug.AbsenceNotLocked, () => Scenario(["1/2", "2/1"], "", true, false), "A cycle");
        AssertFound(
            SeededBug.AbsenceNotLocked, () => Scenario(["1/", "1/"], "", true, false), "Lost update", "A cycle");
    }

    [Fact]
    public void Copies_that_are_checked_one_by_one_are_found() =>
        AssertFound(SeededBug.CopiesCheckedApart, () => Scenario(["12/", "/12"], "12", true, false), "A cycle");

    [Fact]
    public void Values_installed_after_the_release_are_found() =>
        AssertFound(
            SeededBug.InstalledAfterRelease, () => Scenario(["1/", "1/"], "1", true, false),
            "Lost update", "A cycle");

    [Fact]
    public void Records_taken_out_without_their_headers_latch_are_found() =>
        AssertFound(SeededBug.TakenOutUnlatched, TakeOutTwo, "A record that is gone is still linked");

    private static void AssertSerializable(string[] sessions, string present)
    {
        foreach (bool oneChain in new[] { true, false })
        {
            foreach (bool readsLock in new[] { true, false })
                Explorer.Run(Options, () => Scenario(sessions, present, oneChain, readsLock)).AssertClean();
        }
    }

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 5000 }, scenario).AssertFound(how);

    private static Scenario Scenario(string[] sessions, string present, bool oneChain, bool readsLock)
    {
        var store = new ScheduledTransactions(sessions.Length, oneChain, readsLock);
        if (present.Length > 0) store.Run(0, Keys(present), []);
        return new Scenario(
            [.. sessions.Select((session, i) => new Action(() =>
            {
                string[] keys = session.Split('/');
                store.Run(i, Keys(keys[0]), Keys(keys[1]));
            }))],
            () => store.AssertSerializable(1, 2, 3));
    }

    private static long[] Keys(string digits) => [.. digits.Select(static digit => (long)(digit - '0'))];

    private static Scenario Growth(string what)
    {
        var store = new ScheduledTransactions(3, hashes: true);
        store.Set(0, 10, 1, 2, 3);
        return new Scenario(
            [
                store.Grow,
                () =>
                {
                    if (what == "grow and transfer") store.Set(1, 11, 1, 2, 3);
                    else if (what == "grow and insert") store.Set(1, 11, 1, 2, 3, 4, 5);
                    else store.Delete(1, 1, 2, 3);
                },
                () => AssertTogether(store.ReadAll(2, 1, 2, 3)),
            ],
            () =>
            {
                long left = what == "grow and delete" ? -1 : 11;
                Assert.Equal([left, left, left], store.ReadAll(0, 1, 2, 3));
                Assert.Equal(left == -1 ? 0 : what == "grow and insert" ? 5 : 3, store.Store.Statistics.Records);
                store.Dispose();
            });
    }

    private static Scenario ComeAndGo(bool readsLock)
    {
        var store = new ScheduledTransactions(3, readsLock: readsLock);
        store.Set(0, 10, 1, 2);
        return new Scenario(
            [
                () =>
                {
                    store.Delete(0, 1, 2);
                    store.Set(0, 20, 2, 1);
                },
                () =>
                {
                    AssertTogether(store.ReadAll(1, 1, 2));
                    AssertTogether(store.ReadAll(1, 2, 1));
                },
                () => _ = store.Run(2, [1, 2], [], static records =>
                {
                    Assert.Equal(records.Exists(0), records.Exists(1));
                    Assert.Equal(records.Read<long>(0), records.Read<long>(1));
                    records.Delete(0);
                    records.Delete(1);
                    return true;
                }),
            ],
            () =>
            {
                AssertTogether(store.ReadAll(0, 1, 2));
                store.Dispose();
            });
    }

    private static Scenario TakeOutNeighbors()
    {
        var store = new ScheduledTransactions(4);
        for (long key = 1; key <= 4; key++) store.Put(0, key, key * 1000);
        return new Scenario(
            [
                () => Assert.Equal(Status.Ok, store.Remove(0, 3)),
                () => store.Delete(1, 2),
                () =>
                {
                    store.Put(2, 5, 5000);
                    Assert.Equal(Status.Ok, store.Remove(2, 4));
                },
                () => Assert.Equal(1000, store.Get(3, 1)),
            ],
            () => AssertLeft(store, 1, 5));
    }

    private static Scenario TakeOutTwo()
    {
        var store = new ScheduledTransactions(2);
        for (long key = 1; key <= 4; key++) store.Put(0, key, key * 1000);
        return new Scenario(
            [() => Assert.Equal(Status.Ok, store.Remove(0, 3)), () => Assert.Equal(Status.Ok, store.Remove(1, 2))],
            () => AssertLeft(store, 1, 4));
    }

    private static Scenario SingleKeys()
    {
        var store = new ScheduledTransactions(4);
        store.Put(0, 1, 1000);
        int created = 0, removed = 0;
        return new Scenario(
            [
                () =>
                {
                    if (store.Add(0, 1, 1) == Status.Created) created++;
                },
                () =>
                {
                    if (store.Remove(1, 1) == Status.Ok) removed++;
                },
                () =>
                {
                    if (store.Add(2, 1, 1) == Status.Created) created++;
                },
                () => Assert.Contains(store.Get(3, 1) ?? 0, new long[] { 0, 1, 2, 1000, 1001, 1002 }),
            ],
            () =>
            {
                Assert.Equal(1, removed);
                Assert.InRange(created, 0, 1);
                Assert.Contains(store.Get(0, 1) ?? 0, created == 1 ? new long[] { 1, 2 } : [0]);
                store.Dispose();
            });
    }

    private static void AssertTogether(long[] values) =>
        Assert.True(values.Distinct().Count() == 1, $"Half of a transaction: {string.Join(", ", values)}");

    private static void AssertLeft(ScheduledTransactions store, params long[] keys)
    {
        store.AssertNoneGone(); // or a search would not end
        for (long key = 1; key <= 5; key++)
            Assert.Equal(keys.Contains(key) ? key * 1000 : null, store.Get(0, key));
        Assert.Equal(keys.Length, store.Store.Statistics.Records);
        store.Dispose();
    }
}
