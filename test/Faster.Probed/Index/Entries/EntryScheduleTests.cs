using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Index.Entries;

/// <summary>Entries of either kind under a controlled scheduler: clean as they are, and a weaker one found.</summary>
public sealed class EntryScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(400), PreemptionBound = 3, StepLimit = 4000 };

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public void Two_inserts_of_a_hash_beside_a_removal_leave_one_entry(EntryKind kind)
    {
        Explorer.Run(Options, () => InsertBesideRemoval(kind)).AssertClean();
        Explorer.AssertAllClean(() => InsertBesideRemoval(kind), preemptions: 1);
    }

    [Fact]
    public void A_weaker_insert_into_buckets_is_found() => Explorer
        .Run(
            Options with { Bugs = [SeededBug.InsertWithoutRescan], Schedules = 4000 },
            () => InsertBesideRemoval(EntryKind.Buckets))
        .AssertFound("Values differ", "Assert.");

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public void Changes_beside_chunks_that_move_are_kept(EntryKind kind) =>
        Explorer.Run(Options, () => ChangeBesideAging(kind)).AssertClean();

    [Fact]
    public void A_chunk_that_is_copied_too_early_is_found() => Find(SeededBug.ChunkCopiedInFuzzyRegion);

    [Fact]
    public void A_chunk_that_is_linked_over_a_newer_one_is_found() => Find(SeededBug.ChunkLinkedWithoutCompare);

    [Fact]
    public void A_copy_of_a_chunk_that_still_changes_is_found() =>
        Find(SeededBug.ChunkStagedWhileItChanges, EntryKind.StagedChunks);

    private static void Find(SeededBug bug, EntryKind kind = EntryKind.Chunks) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 4000 }, () => ChangeBesideAging(kind))
        .AssertFound("Values differ");

    // One entry lies in front of the other's place, and goes away (000, Fig. 3a).
    private static Scenario InsertBesideRemoval(EntryKind kind)
    {
        var world = new EntryWorld(kind);
        EntrySession setup = world.Start(), one = world.Start(), two = world.Start();
        ulong gone = Hash(1), hash = Hash(2);
        Assert.True(setup.Insert(gone, 10));
        bool oneWon = false, twoWon = false;
        return new Scenario(
            Threads(world,
                () =>
                {
                    oneWon = one.Insert(hash, 20);
                    Assert.NotEqual(0, one.Get(hash));
                },
                () =>
                {
                    Assert.True(two.Remove(gone));
                    twoWon = two.Insert(hash, 30);
                    Assert.NotEqual(0, two.Get(hash));
                }),
            () => Check(world, [setup, one, two], () =>
            {
                Assert.NotEqual(oneWon, twoWon);
                Assert.Equal(oneWon ? 20 : 30, setup.Get(hash));
                Assert.Equal(0, setup.Get(gone));
                Assert.True(setup.Remove(hash));
                Assert.Equal(0, setup.Get(hash));
            }));
    }

    // Two threads change two entries of one chunk, while it becomes immutable and goes to disk.
    private static Scenario ChangeBesideAging(EntryKind kind)
    {
        var world = new EntryWorld(kind);
        EntrySession setup = world.Start(), one = world.Start(), two = world.Start();
        setup.Add(Hash(1), 1);
        return new Scenario(
            Threads(world,
                () =>
                {
                    one.Add(Hash(1), 10);
                    one.Add(Hash(2), 10);
                },
                () =>
                {
                    two.Add(Hash(2), 1);
                    two.Add(Hash(1), 100);
                },
                world.Age),
            () => Check(world, [setup, one, two], () =>
            {
                Assert.Equal(111, setup.Get(Hash(1)));
                Assert.Equal(11, setup.Get(Hash(2)));
            }));
    }

    private static Action[] Threads(EntryWorld world, params Action[] clients) =>
        world.Chunks?.Threads(clients) ?? clients;

    private static void Check(EntryWorld world, EntrySession[] sessions, Action check)
    {
        try
        {
            check();
        }
        finally
        {
            foreach (EntrySession session in sessions) session.Dispose();
            world.Dispose();
        }
    }

    private static ulong Hash(int number) => EntryWorld.Hash(number);
}
