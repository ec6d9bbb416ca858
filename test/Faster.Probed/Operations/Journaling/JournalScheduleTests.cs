using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Journaling;

/// <summary>
/// Journaled operations under controlled schedules: the logs say what memory says, in the same order, and before it.
/// </summary>
public sealed class JournalScheduleTests
{
    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(600), PreemptionBound = 3 };

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void The_logs_have_each_change_before_it_is_seen_and_in_its_order(int logs)
    {
        Explorer.Run(Sampled, () => ChangesOfOneEntry<WordShape>(logs)).AssertClean();
        Explorer.Run(Sampled, () => ChangesOfOneEntry<SwapShape>(logs)).AssertClean();
    }

    [Fact]
    public void Two_changes_of_a_key_without_its_lock_are_found() => Explorer
        .Run(
            Sampled with { Bugs = [SeededBug.StripeNotLocked], Schedules = 3000 },
            () => ChangesOfOneEntry<WordShape>(2))
        .AssertFound(JournaledStore<WordShape>.Differs, JournaledStore<WordShape>.Unpublished);

    [Fact]
    public void A_value_that_is_seen_before_it_is_published_is_found() => Explorer
        .Run(
            Sampled with { Bugs = [SeededBug.InstalledBeforePublished], Schedules = 3000 },
            () => ChangesOfOneEntry<WordShape>(1))
        .AssertFound(JournaledStore<WordShape>.Unpublished);

    [Fact]
    public void A_part_of_a_value_counts_once_although_its_entry_changes_before_it_is_linked() =>
        Explorer.Run(Sampled, PartsOfOneEntry).AssertClean();

    [Fact]
    public void A_part_that_was_published_and_not_linked_is_found() => Explorer
        .Run(Sampled with { Bugs = [SeededBug.CancelForgotten], Schedules = 3000 }, PartsOfOneEntry)
        .AssertFound(JournaledStore<MergedWordShape>.Miscounts);

    /// <summary>Two sessions add to two keys on disk that share an entry and no stripe.</summary>
    private static Scenario PartsOfOneEntry()
    {
        var journal = new JournaledStore<MergedWordShape>(logs: 2, sessions: 2, ownHashes: true);
        ScheduledStore<MergedWordShape> store = journal.Store;
        store.Put(0, 1, 100);
        store.Put(0, 2, 200);
        store.Spill();
        return new Scenario(
            [
                () =>
                {
                    store.Add(0, 1, 1);
                    store.Add(0, 2, 2);
                },
                () =>
                {
                    store.Add(1, 2, 4);
                    store.Add(1, 1, 8);
                },
            ],
            () =>
            {
                Assert.Equal((109, 206), (store.Get(0, 1), store.Get(0, 2)));
                journal.AssertRecovered(1, 109);
                journal.AssertRecovered(2, 206);
                journal.Dispose();
            });
    }

    /// <summary>Two sessions change a key and another one of its entry; a third one reads both.</summary>
    private static Scenario ChangesOfOneEntry<TShape>(int logs)
        where TShape : struct, IShape
    {
        var journal = new JournaledStore<TShape>(logs, sessions: 3);
        ScheduledStore<TShape> store = journal.Store;
        store.Put(0, 1, 5);
        return new Scenario(
            [
                () =>
                {
                    store.Add(0, 1, 1);
                    store.Put(0, 2, 20);
                },
                () =>
                {
                    _ = store.Remove(1, 1);
                    store.Add(1, 1, 30);
                    store.Add(1, 2, 100);
                },
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        journal.AssertPublished(1, store.Get(2, 1));
                        journal.AssertPublished(2, store.Get(2, 2));
                    }
                },
            ],
            () =>
            {
                journal.AssertLastPublished(1, store.Get(0, 1));
                journal.AssertLastPublished(2, store.Get(0, 2));
                journal.Dispose();
            });
    }
}
