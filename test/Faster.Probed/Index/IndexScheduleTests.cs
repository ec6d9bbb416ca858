using Faster.Contracts;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Probes;
using Faster.Tests.Scheduling;
using static Faster.Tests.Index.IndexExploration;

namespace Faster.Tests.Index;

/// <summary>
/// The algorithms of the index under a controlled scheduler: clean as they are, and each seeded bug found.
/// </summary>
public sealed class IndexScheduleTests
{
    [Fact]
    public void Two_inserts_of_a_tag_beside_a_delete_leave_one_entry() =>
        Explorer.Run(Options, InsertBesideDelete).AssertClean();

    [Fact]
    public void Two_inserts_of_a_tag_beside_a_delete_leave_one_entry_in_every_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(InsertBesideDelete);

    [Theory]
    [InlineData(nameof(SeededBug.InsertWithoutTentative))]
    [InlineData(nameof(SeededBug.InsertWithoutRescan))]
    public void A_weaker_insert_is_found_out(string bug) => AssertFound(bug, InsertBesideDelete);

    [Fact]
    public void Inserts_that_link_overflow_buckets_at_once_lose_nothing() =>
        Explorer.Run(Options, LinkOverflow).AssertClean();

    [Fact]
    public void A_weaker_insert_is_found_out_in_overflow_buckets() =>
        AssertFound(nameof(SeededBug.InsertWithoutRescan), LinkOverflow);

    [Fact]
    public void Inserts_take_the_slots_of_dead_entries_and_lose_nothing() =>
        Explorer.Run(Options, TakeDeadSlots).AssertClean();

    [Fact]
    public void Inserts_take_the_slots_of_dead_entries_in_every_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(TakeDeadSlots, preemptions: 1);

    [Fact]
    public void A_dead_entry_that_is_emptied_by_a_plain_store_is_found_out() =>
        AssertFound(nameof(SeededBug.DeadWithoutCompare), TakeDeadSlots);

    [Fact]
    public void Growth_loses_nothing_and_doubles_nothing_beside_operations() =>
        Explorer.Run(Options, GrowBesideOperations).AssertClean();

    [Fact]
    public void Growth_survives_every_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(GrowBesideOperations, preemptions: 1);

    [Theory]
    [InlineData(nameof(SeededBug.SplitIgnoresPins))]
    [InlineData(nameof(SeededBug.ResizeWithoutEpoch))]
    [InlineData(nameof(SeededBug.SplitDropsSibling))]
    public void A_weaker_growth_is_found_out(string bug) => AssertFound(bug, GrowBesideOperations);

    [Fact]
    public void Freezing_beside_inserts_finds_and_removals_loses_nothing()
    {
        Explorer.Run(Options, ShiftBesideOperations).AssertClean();
        Explorer.Run(Options, InsertIntoEmptiedShared).AssertClean();
        Explorer.Run(Options, GrowFrozen).AssertClean();
    }

    [Fact]
    public void Freezing_survives_every_schedule_of_one_preemption() =>
        Explorer.AssertAllClean(ShiftBesideOperations, preemptions: 1);

    [Theory]
    [InlineData(nameof(SeededBug.SharingKeepsTentative))]
    [InlineData(nameof(SeededBug.InsertIgnoresSharing))]
    public void A_weaker_freeze_is_found_out(string bug) => AssertFound(bug, ShiftBesideOperations);

    [Fact]
    public void A_frozen_bucket_that_takes_two_tags_is_found_out() =>
        AssertFound(nameof(SeededBug.EmptiedSharedByTag), InsertIntoEmptiedShared);

    // Fig. 3a: while one thread inserts a tag, another deletes an entry before it and inserts the same tag.
    private static Scenario InsertBesideDelete()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64);
        FakeSession setup = new(store), one = new(store), two = new(store);
        ulong gone = Key(tag: 3, number: 1), a = Key(tag: 5, number: 2), b = Key(tag: 5, number: 3);
        setup.Add(gone);
        return new Scenario(
            [
                () => Assert.True(one.Add(a)),
                () =>
                {
                    Assert.True(two.Remove(gone));
                    Assert.True(two.Add(b));
                    Assert.True(two.Contains(b));
                },
            ],
            () => Check(store, [setup, one, two], a, b));
    }

    private static Scenario LinkOverflow()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64);
        FakeSession setup = new(store), one = new(store), two = new(store), three = new(store);
        ulong[] first = [.. Enumerable.Range(0, HashBucket.EntryCount).Select(i => Key((uint)i, 1))];
        foreach (ulong key in first) setup.Add(key);
        ulong a = Key(10, 1), b = Key(11, 1), c = Key(10, 2);
        return new Scenario(
            [
                () => Assert.True(one.Add(a)),
                () => Assert.True(two.Add(b)),
                () =>
                {
                    Assert.True(three.Remove(first[6]));
                    Assert.True(three.Add(c));
                },
            ],
            () => Check(store, [setup, one, two, three], [.. first[..6], a, b, c]));
    }

    // Three of seven entries lead to truncated records: two inserts need a slot, beside one that revives a dead entry.
    private static Scenario TakeDeadSlots()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64);
        FakeSession setup = new(store), one = new(store), two = new(store), three = new(store);
        foreach (uint tag in (uint[])[3, 4, 5]) setup.Add(Key(tag, 1));
        store.Truncate();
        ulong[] kept = [.. Enumerable.Range(10, 4).Select(i => Key((uint)i, 1))];
        foreach (ulong key in kept) setup.Add(key);
        ulong a = Key(40, 1), b = Key(4, 2), c = Key(41, 1);
        return new Scenario(
            [
                () => Assert.True(one.Add(a)),
                () =>
                {
                    Assert.True(two.Add(b));
                    Assert.True(two.Contains(b));
                },
                () =>
                {
                    Assert.False(three.Contains(Key(5, 1)));
                    Assert.True(three.Add(c));
                    Assert.True(three.Contains(c));
                },
            ],
            () => Check(store, [setup, one, two, three], [.. kept, a, b, c]));
    }

    // Six of seven slots are taken, and there is no memory for another bucket: the last insert makes the
    // bucket share tags, beside an insert under way and a removal that empties a slot again.
    private static Scenario ShiftBesideOperations()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64) { Index = { ByteLimit = 0 } };
        FakeSession setup = new(store), one = new(store), two = new(store), three = new(store);
        ulong[] kept = [.. Enumerable.Range(0, 6).Select(i => Key(tag: 10 + (uint)i, number: 1))];
        foreach (ulong key in kept) setup.Add(key);
        ulong a = Key(40, 1), gone = Key(12, 2), b = Key(30, 1), c = Key(41, 1), removed = Key(50, 1);
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(a));
                    Assert.True(one.Contains(a));
                },
                () =>
                {
                    Assert.True(two.Add(removed));
                    Assert.True(two.Add(b));
                    Assert.True(two.Remove(removed));
                    Assert.True(two.Contains(b));
                },
                () =>
                {
                    Assert.True(three.Add(c));
                    Assert.False(three.Contains(gone));
                    Assert.True(three.Contains(c));
                },
            ],
            () => Check(store, [setup, one, two, three], [.. kept, a, b, c]));
    }

    // A bucket with shared tags and without entries takes one; all other tags share it.
    private static Scenario InsertIntoEmptiedShared()
    {
        var store = new FakeStore(bucketCount: 1, capacity: 64) { Index = { ByteLimit = 0 } };
        store.ShareTags();
        FakeSession one = new(store), two = new(store), three = new(store);
        ulong a = Key(20, 1), b = Key(30, 1), c = Key(25, 1);
        return new Scenario(
            [
                () => Assert.True(one.Add(a)),
                () => Assert.True(two.Add(b)),
                () =>
                {
                    Assert.True(three.Add(c));
                    Assert.True(three.Contains(c));
                },
            ],
            () => Check(store, [one, two, three], a, b, c));
    }

    // A bucket with shared tags is split into two of the same beside operations.
    private static Scenario GrowFrozen()
    {
        var store = new FakeStore(bucketCount: 2, capacity: 64);
        FakeSession setup = new(store), one = new(store), two = new(store), driver = new(store);
        ulong Of(long quarter, uint tag, ulong number) => HashesOf.Bucket(quarter, 4, tag, number);
        store.Index.ByteLimit = 0;
        ulong[] kept = [.. Enumerable.Range(0, 10).Select(i => Of(i % 2, tag: 10 + (uint)i, number: 1))];
        foreach (ulong key in kept) setup.Add(key);
        Assert.Equal(1, store.Index.SharedTagBuckets);
        store.Index.ByteLimit = long.MaxValue;
        ulong a = Of(0, 30, 1), b = Of(1, 30, 2), gone = kept[3];
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(a));
                    Assert.True(one.Contains(kept[8]));
                },
                () =>
                {
                    Assert.True(two.Remove(gone));
                    Assert.True(two.Add(b));
                },
                () => driver.Resize(ResizeKind.Split),
            ],
            () => Check(store, [setup, one, two, driver], [.. kept.Where(key => key != gone), a, b]));
    }

    // Two buckets, two tags: chains of records part, and operations meet every phase.
    private static Scenario GrowBesideOperations()
    {
        var store = new FakeStore(bucketCount: 2, capacity: 64);
        FakeSession setup = new(store), one = new(store), two = new(store), driver = new(store);
        ulong[] kept = [Near(0, 1), Near(1, 1), Near(2, 1), Near(3, 1)];
        ulong removed = Near(1, 2), added = Near(0, 3), other = Near(1, 4);
        foreach (ulong key in kept) setup.Add(key);
        setup.Add(removed);
        return new Scenario(
            [
                () =>
                {
                    Assert.True(one.Add(added));
                    Assert.True(one.Contains(added));
                    Assert.True(one.Contains(kept[1]));
                },
                () =>
                {
                    Assert.True(two.Remove(removed));
                    Assert.True(two.Add(other));
                    Assert.False(two.Contains(removed));
                },
                () => driver.Resize(ResizeKind.Split),
            ],
            () => Check(store, [setup, one, two, driver], [.. kept, added, other]));
    }

    private static ulong Key(uint tag, ulong number) => HashesOf.Bucket(0, 1, tag, number);

    // A key of one of the four buckets that two buckets become; the tag is the same for all.
    private static ulong Near(long quarter, ulong number) => HashesOf.Bucket(quarter, 4, tag: 6, number);
}
