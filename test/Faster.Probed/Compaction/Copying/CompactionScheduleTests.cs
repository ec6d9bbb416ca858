using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction.Copying;

/// <summary>
/// Conditional inserts and a rising begin beside the operations, under controlled schedules: nothing is lost, nothing
/// comes back.
/// </summary>
public sealed class CompactionScheduleTests
{
    private const long First = 64; // the address of the first record

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    public static TheoryData<string> Rivals => ["upsert", "rmw", "delete", "copy", "delete and upsert"];

    [Theory, MemberData(nameof(Rivals))]
    public void A_copy_never_hides_what_is_newer(string rival)
    {
        Explorer.Run(Options, () => CopyBeside(rival, onDisk: false)).AssertClean();
        Explorer.Run(Options, () => CopyBeside(rival, onDisk: true)).AssertClean();
    }

    [Theory]
    [InlineData("upsert")]
    [InlineData("rmw")]
    [InlineData("delete")]
    public void A_copy_that_does_not_look_again_is_found(string rival) => Explorer
        .Run(Options with { Bugs = [SeededBug.CopyWithoutRecheck], Schedules = 3000 },
            () => CopyBeside(rival, onDisk: true))
        .AssertFound("Values differ");

    [Fact]
    public void A_key_that_is_copied_is_never_absent()
    {
        Explorer.Run(Options, ReadBesideCompaction).AssertClean();
        Explorer.Run(Options, () => UpdateBesideCompaction(remove: false)).AssertClean();
        Explorer.Run(Options, () => UpdateBesideCompaction(remove: true)).AssertClean();
    }

    [Fact]
    public void A_begin_that_does_not_wait_for_the_epoch_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.BeginWithoutEpoch], Schedules = 5000 }, ReadBesideCompaction)
        .AssertFound("Actual:   null");

    [Fact]
    public void A_truncation_takes_old_values_and_no_new_ones()
    {
        Explorer.Run(Options, TruncateBesideOperations).AssertClean();
        Explorer.Run(Options, TruncateBesideRemoval).AssertClean();
    }

    [Fact]
    public void A_commit_beside_a_compaction_holds_an_exact_prefix() =>
        Explorer.Run(Options, CommitBesideCompaction).AssertClean();

    [Fact]
    public void A_commit_with_a_begin_from_after_its_point_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.BeginAfterShift], Schedules = 10_000 }, CommitBesideCompaction)
        .AssertFound(CommitCheck.NoPrefix);

    private static Scenario CopyBeside(string rival, bool onDisk)
    {
        ScheduledStore<HalfPageShape> store = Loaded(onDisk);
        Action beside = rival switch
        {
            "upsert" => () => store.Put(1, 1, 20),
            "rmw" => () => store.Add(1, 1, 1),
            "delete" => () => _ = store.Remove(1, 1),
            "copy" => () => store.Copy(1, 1, First, Value(10)),
            _ => () =>
            {
                _ = store.Remove(1, 1);
                store.Put(1, 1, 30);
            }
        };
        long? expected = rival switch { "upsert" => 20, "rmw" => 11, "delete" => null, "copy" => 10, _ => 30 };
        return new Scenario(
            [() => store.Copy(0, 1, First, Value(10)), beside],
            () =>
            {
                Assert.Equal(expected, store.Get(0, 1));
                store.Dispose();
            });
    }

    private static Scenario ReadBesideCompaction()
    {
        ScheduledStore<HalfPageShape> store = Loaded(onDisk: true);
        return new Scenario(
            [
                () => Compact(store),
                () =>
                {
                    Assert.Equal(10, store.Get(1, 1));
                    Assert.Equal(20, store.Get(1, 2));
                },
            ],
            () =>
            {
                Assert.Equal(10, store.Get(0, 1));
                Assert.Equal(20, store.Get(0, 2));
                store.Dispose();
            });
    }

    private static Scenario UpdateBesideCompaction(bool remove)
    {
        ScheduledStore<HalfPageShape> store = Loaded(onDisk: true);
        return new Scenario(
            [
                () => Compact(store),
                () => store.Add(1, 1, 1),
                () =>
                {
                    if (remove) _ = store.Remove(2, 2);
                    else store.Add(2, 1, 2);
                },
            ],
            () =>
            {
                Assert.Equal(remove ? 11 : 13, store.Get(0, 1));
                Assert.Equal(remove ? null : 20, store.Get(0, 2));
                store.Dispose();
            });
    }

    private static Scenario TruncateBesideOperations()
    {
        ScheduledStore<HalfPageShape> store = Loaded(onDisk: true);
        return new Scenario(
            [
                store.RaiseBegin,
                () => Assert.Contains(store.Get(1, 1), new long?[] { null, 10 }),
                () => store.Put(2, 2, 30),
            ],
            () =>
            {
                Assert.Null(store.Get(0, 1));
                Assert.Equal(30, store.Get(0, 2));
                Assert.False(store.HasEntry(1), "The entry still leads below the begin.");
                store.Dispose();
            });
    }

    // A session that finds the entry dead and removes it must not remove a new record's entry.
    private static Scenario TruncateBesideRemoval()
    {
        ScheduledStore<HalfPageShape> store = Loaded(onDisk: true);
        store.RaiseBegin();
        return new Scenario(
            [
                () => _ = store.Get(0, 1),
                () => store.Put(1, 1, 50),
                () => _ = store.Remove(2, 2),
            ],
            () =>
            {
                Assert.Equal(50, store.Get(0, 1));
                Assert.Null(store.Get(0, 2));
                store.Dispose();
            });
    }

    private static Scenario CommitBesideCompaction()
    {
        var world = new ScheduledCommit<WordShape>(2);
        world.Add(0, 1);
        world.Spill();
        return world.Beside(world.Commit, () => world.Compact(1, 1));
    }

    private static void Compact(ScheduledStore<HalfPageShape> store)
    {
        store.Copy(0, 1, First, Value(10));
        store.Copy(0, 2, First + 2016, Value(20));
        store.RaiseBegin();
    }

    // Keys 1 and 2 in the first page, either in memory and immutable, or on disk.
    private static ScheduledStore<HalfPageShape> Loaded(bool onDisk)
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, 3, cached: true, frozen: false);
        store.Put(0, 1, 10);
        store.Put(0, 2, 20);
        store.ShiftReadOnly();
        if (onDisk) store.PushHead();
        return store;
    }

    private static byte[] Value(long number)
    {
        byte[] value = new byte[HalfPageShape.ValueSize];
        BitConverter.TryWriteBytes(value, number);
        BitConverter.TryWriteBytes(value.AsSpan(value.Length - 8), number);
        return value;
    }
}
