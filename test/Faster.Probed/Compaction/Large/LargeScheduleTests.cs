using System.Buffers;
using Faster.Contracts;
using Faster.Log;
using Faster.Operations.Large;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction.Large;

/// <summary>
/// Values in fragments under controlled schedules: written, read, updated and deleted beside a compaction that
/// truncates their fragments.
/// </summary>
/// <remarks>A value's number is at both ends, which lie in different fragments: a mixture of two is seen.</remarks>
public sealed class LargeScheduleTests
{
    private const int Page = 1 << 12, Length = 6000; // two fragments

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(100), PreemptionBound = 3, StepLimit = 100_000 };

    [Theory]
    [InlineData("small")]
    [InlineData("large")]
    [InlineData("rmw")]
    [InlineData("delete")]
    [InlineData("delete and large")]
    [InlineData("read")]
    public void A_value_that_moves_hides_nothing_newer_and_is_never_absent(string rival)
    {
        foreach (string head in (string[])["on disk", "in memory", "mutable"])
            Explorer.Run(Options, () => CompactBeside(rival, head)).AssertClean();
    }

    [Fact]
    public void A_deletion_beside_a_copy_of_what_is_still_mutable_is_found() =>
        AssertFound(SeededBug.StraddlerNotImmutable, () => CompactBeside("delete", "mutable"), "Expected: null");

    [Fact]
    public void A_value_that_moves_and_leaves_memory_while_it_is_looked_for_is_not_absent() =>
        Explorer.Run(Options, ReadBesideMoveAndEviction).AssertClean();

    [Fact]
    public void A_read_that_takes_chunks_that_have_gone_for_absence_is_found() =>
        AssertFound(SeededBug.FragmentsGoneIsAbsent, ReadBesideMoveAndEviction, "Actual:   null");

    [Fact]
    public void A_pin_on_what_has_gone_is_found() =>
        AssertFound(SeededBug.PinWithoutLook, () => CompactBeside("read", "on disk"), "has been given up");

    [Fact]
    public void A_value_that_is_being_written_is_not_lost() =>
        Explorer.Run(Options, WriteBesideCompaction).AssertClean();

    [Fact]
    public void A_head_that_is_linked_to_truncated_chunks_is_found() =>
        AssertFound(SeededBug.HeadIgnoresFloor, WriteBesideCompaction, "Expected: 20");

    [Fact]
    public void One_key_is_changed_in_every_way_at_once() => Explorer.Run(Options, MixOnOneKey).AssertClean();

    private static void AssertFound(SeededBug bug, Func<Scenario> scenario, params string[] how) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 4000 }, scenario).AssertFound(how);

    private static Scenario CompactBeside(string rival, string head)
    {
        ScheduledStore<VaryingShape> store = Loaded(head, out long until);
        void Read() => Assert.Equal(10, store.Get(1, 1));
        Action beside = rival switch
        {
            "small" => () => store.Put(1, 1, 20),
            "large" => () => store.Put(1, 1, 20, Length),
            "rmw" => () => store.Add(1, 1, 1, Length),
            "delete" => () => _ = store.Remove(1, 1),
            "delete and large" => () =>
            {
                _ = store.Remove(1, 1);
                store.Put(1, 1, 30, Length);
            },
            _ => Read
        };
        long? expected = rival switch
        {
            "small" or "large" => 20, "rmw" => 11, "delete" => null, "read" => 10, _ => 30
        };
        return new Scenario(
            [() => store.CompactLarge(until), beside],
            () =>
            {
                Assert.Equal(expected, store.Get(0, 1));
                Assert.Equal(until, store.Log.BeginAddress);
                Assert.Equal(0, ((PagedLog)store.Log).Writes.Count);
                store.Dispose();
            });
    }

    private static Scenario ReadBesideMoveAndEviction()
    {
        ScheduledStore<VaryingShape> store = Loaded("on disk", out long until);
        return new Scenario(
            [
                () =>
                {
                    store.CompactLarge(until);
                    Push(store, store.Log.TailAddress + 1);
                },
                () => Assert.Equal(10, store.Get(1, 1)),
            ],
            store.Dispose);
    }

    // Whatever of the value has been written when the compaction comes by.
    private static Scenario WriteBesideCompaction()
    {
        var store = new ScheduledStore<VaryingShape>(RecordAllocatorKind.Hybrid, 2, cached: true, frozen: false);
        return new Scenario(
            [
                () => store.Put(0, 1, 20, Length),
                () =>
                {
                    Assert.True(Probe.Wait(() => store.Log.TailAddress > Page));
                    store.CompactLarge(Page);
                },
            ],
            () =>
            {
                Assert.Equal(20, store.Get(0, 1));
                store.Dispose();
            });
    }

    private static Scenario MixOnOneKey()
    {
        ScheduledStore<VaryingShape> store = Loaded("in memory", out long until, sessions: 4);
        return new Scenario(
            [
                () => store.CompactLarge(until),
                () => store.Put(1, 1, 20, Length),
                () => _ = store.Remove(2, 1),
                () => Assert.Contains(store.Get(3, 1), new long?[] { null, 10, 20 }),
            ],
            () =>
            {
                Assert.Contains(store.Get(0, 1), new long?[] { null, 20 });
                store.Dispose();
            });
    }

    // Key 1 has a large value whose first fragments lie below an address and whose record does not.
    private static ScheduledStore<VaryingShape> Loaded(string head, out long until, int sessions = 2)
    {
        var store = new ScheduledStore<VaryingShape>(RecordAllocatorKind.Hybrid, sessions, cached: true, frozen: false);
        until = Page;
        if (head == "mutable")
        {
            store.Put(0, 1, 5); // so that a deletion leaves the entry where it is
            byte[] value = new byte[Length];
            ProbedValue.Write(value, 10);
            var write = new LargeWrite(new ReadOnlySequence<byte>(value));
            store.Write(1, write);
            Push(store, Page);
            store.PutPrepared(0, 1, write);
            return store;
        }

        store.Put(0, 1, 10, Length);
        Push(store, head == "on disk" ? 2 * Page : Page);
        return store;
    }

    private static void Push(ScheduledStore<VaryingShape> store, long head)
    {
        for (long key = 1000; store.Log.HeadAddress < head; key++) store.Put(0, key, key, 2000);
    }
}
