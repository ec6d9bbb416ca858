using Faster.Chains;
using Faster.Log.Records;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations;

/// <summary>Operations on keys that share a chain: none touches more than its own, or leaves anything behind.</summary>
public sealed unsafe class ChainOperationTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_deletion_takes_its_own_record_alone_wherever_it_lies_in_the_chain(RecordAllocatorKind kind)
    {
        long[] keys = [1, 2, 3];
        foreach (long deleted in keys)
        {
            using var store = new ScheduledStore<WordShape>(kind, 1);
            foreach (long key in keys) store.Put(0, key, key * 10);
            Assert.Equal(Status.Ok, store.Remove(0, deleted));
            foreach (long key in keys) Assert.Equal(key == deleted ? null : key * 10, store.Get(0, key));
            Assert.Equal(Status.NotFound, store.Remove(0, deleted));
            foreach (long key in keys) _ = store.Remove(0, key);
            foreach (long key in keys) Assert.Null(store.Get(0, key));
        }
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void The_deletion_of_a_chains_only_record_takes_the_entry_too(RecordAllocatorKind kind)
    {
        using var store = new ScheduledStore<WordShape>(kind, 1);
        store.Put(0, 1, 10);
        Assert.True(store.HasEntry(1));
        Assert.Equal(Status.Ok, store.Remove(0, 1));
        Assert.False(store.HasEntry(1));
        store.Put(0, 1, 11);
        Assert.Equal(11, store.Get(0, 1));
    }

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void The_deletion_of_a_key_that_is_not_in_its_chain_finds_none_and_writes_nothing(RecordAllocatorKind kind)
    {
        using var store = new ScheduledStore<WordShape>(kind, 1);
        store.Put(0, 1, 10);
        store.Put(0, 2, 20);
        long tail = store.Log.TailAddress;
        Assert.Equal(Status.NotFound, store.Remove(0, 3));
        Assert.Equal(tail, store.Log.TailAddress);
        if (kind == RecordAllocatorKind.InMemory) return;
        store.ShiftReadOnly();
        tail = store.Log.TailAddress;
        Assert.Equal(Status.NotFound, store.Remove(0, 3));
        Assert.Equal(tail, store.Log.TailAddress);
    }

    /// <summary>
    /// A deletion seals the chain's only record before it takes the entry away; what comes into the chain between keeps
    /// the entry, and the sealed record is a tombstone like any other.
    /// </summary>
    [Fact]
    public void A_deletion_whose_chain_gets_company_stays_one()
    {
        Explorer.Run(Options, DeleteBesideNeighbour).AssertClean();
        Explorer.AssertAllClean(DeleteBesideNeighbour);
    }

    /// <summary>
    /// Space is allocated for a new record before it is linked. An operation that then finds another's record that can
    /// be updated in place releases the space: else the session's next record would get it, with this one's key.
    /// </summary>
    [Theory]
    [InlineData('u', false)]
    [InlineData('u', true)]
    [InlineData('m', false)]
    [InlineData('m', true)]
    [InlineData('d', false)]
    [InlineData('d', true)]
    public void Space_that_was_reserved_and_not_used_is_released(char operation, bool otherDeletes) =>
        Explorer.AssertAllClean(() => TakeRoomInVain(operation, otherDeletes));

    /// <summary>
    /// An operation that has seen a key deleted and writes it again does so in a record that the index leads to, not in
    /// the one whose entry the deletion is removing.
    /// </summary>
    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public void A_write_after_a_deletion_was_seen_is_not_lost_with_the_entry(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => WriteAfterDeletion(kind, blindly: true)).AssertClean();
        Explorer.AssertAllClean(() => WriteAfterDeletion(kind, blindly: true));
        Explorer.AssertAllClean(() => WriteAfterDeletion(kind, blindly: false));
    }

    [Fact]
    public void Every_thousandth_deletion_has_the_index_looked_at()
    {
        using var store = new ScheduledStore<WordShape>(RecordAllocatorKind.InMemory, 1);
        int looks = 0;
        store.Host.Store.Index.Thinned = () => looks++;
        for (int i = 1; i <= 3 * 1024; i++)
        {
            store.Put(0, 1, 10);
            _ = store.Remove(0, 1);
            Assert.Equal(i / 1024, looks);
        }
    }

    [Fact]
    public void An_update_that_waits_for_the_fuzzy_region_is_counted_once()
    {
        var counts = new List<long>();
        Explorer.Run(Options, () => MeetFuzzyRegion(counts)).AssertClean();
        Assert.Contains(1, counts);
        Assert.All(counts, static count => Assert.InRange(count, 0, 1));
    }

    [Theory]
    [InlineData(16, 8, false, 16)]   // no record to take the place of
    [InlineData(16, 16, true, 16)]   // it fits
    [InlineData(17, 16, true, 25)]   // outgrown: half as much again
    [InlineData(int.MaxValue - 8, 16, true, 0x7FFFFFC7)]
    public void A_value_that_outgrows_its_record_gets_half_as_much_again(int length, int had, bool has, int capacity)
    {
        int* slot = stackalloc int[2];
        (slot[0], slot[1]) = (1, had);
        var at = new ChainPosition { Record = has ? (byte*)slot : null, Value = (byte*)slot };
        Assert.Equal(capacity, at.CapacityFor(length, valueSize: 0));
        Assert.Equal(length, at.CapacityFor(length, valueSize: 8));
        at.Header = RecordHeader.Large;
        Assert.Equal(length, at.CapacityFor(length, valueSize: 0));
    }

    private static Scenario DeleteBesideNeighbour()
    {
        var store = new ScheduledStore<WordShape>(RecordAllocatorKind.Hybrid, 2);
        store.Put(0, 1, 10);
        return new Scenario(
            [() => _ = store.Remove(0, 1), () => store.Put(1, 2, 20)],
            () =>
            {
                Assert.Null(store.Get(0, 1));
                Assert.Equal(20, store.Get(0, 2));
                store.Put(0, 1, 11);
                store.Add(0, 1, 1);
                Assert.Equal(12, store.Get(0, 1));
                Assert.Equal(20, store.Get(0, 2));
                Assert.Equal(Status.Ok, store.Remove(0, 1));
                Assert.Equal(1, store.CountInChain(2));
                store.Dispose();
            });
    }

    private static Scenario TakeRoomInVain(char operation, bool otherDeletes)
    {
        var store = new ScheduledStore<WordShape>(RecordAllocatorKind.Hybrid, 2);
        store.Put(0, 1, 10);
        store.ShiftReadOnly();
        return new Scenario(
            [
                () =>
                {
                    if (operation == 'u') store.Put(0, 1, 11);
                    else if (operation == 'm') store.Add(0, 1, 1);
                    else _ = store.Remove(0, 1);
                    store.Put(0, 2, 20);
                },
                () =>
                {
                    store.Put(1, 1, 30);
                    if (otherDeletes) _ = store.Remove(1, 1);
                },
            ],
            () =>
            {
                Assert.Equal(20, store.Get(0, 2));
                Assert.Contains(store.Get(0, 1), new long?[] { null, 1, 11, 30, 31 });
                store.Dispose();
            });
    }

    private static Scenario WriteAfterDeletion(RecordAllocatorKind kind, bool blindly)
    {
        var store = new ScheduledStore<WordShape>(kind, 2);
        store.Put(0, 1, 10);
        return new Scenario(
            [
                () => _ = store.Remove(0, 1),
                () =>
                {
                    if (store.Get(1, 1) is not null) return;
                    if (blindly) store.Put(1, 1, 11);
                    else store.Add(1, 1, 11);
                    Assert.Equal(11, store.Get(1, 1));
                },
            ],
            () =>
            {
                Assert.Contains(store.Get(0, 1), new long?[] { null, 11 });
                store.Dispose();
            });
    }

    private static Scenario MeetFuzzyRegion(List<long> counts)
    {
        var store = new ScheduledStore<WordShape>(RecordAllocatorKind.Hybrid, 2);
        store.Put(0, 1, 10);
        return new Scenario(
            [() => store.Add(0, 1, 1), store.ShiftReadOnly, () => store.Add(1, 2, 1)],
            () =>
            {
                Assert.Equal(11, store.Get(0, 1));
                counts.Add(store.Host.Store.Core.FuzzyUpdates);
                store.Dispose();
            });
    }
}
