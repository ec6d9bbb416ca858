using Faster.Contracts;
using Faster.Operations.Waiting;
using Faster.Tests.Faults;

namespace Faster.Tests.Index.Entries;

/// <summary>What entries promise to operations (<c>IEntryAccess</c>), wherever they lie.</summary>
public sealed class EntryAccessTests
{
    private const int Hashes = 32, Threads = 4;

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public void An_inserted_entry_is_found_replaced_and_removed(EntryKind kind)
    {
        using var world = new EntryWorld(kind);
        using EntrySession session = world.Start();
        for (int i = 0; i < Hashes; i++) Assert.True(session.Insert(Hash(i), i + 1));
        world.Age();
        for (int i = 0; i < Hashes; i++) session.Add(Hash(i), 100);
        for (int i = 0; i < Hashes; i += 2) Assert.True(session.Remove(Hash(i)));
        world.Age();
        for (int i = 0; i < Hashes; i++)
        {
            Assert.Equal(i % 2 == 0 ? 0 : i + 101, session.Get(Hash(i)));
            Assert.Equal(i % 2 == 0, session.Insert(Hash(i), 7));
            Assert.Equal(i % 2 == 0 ? 7 : i + 101, session.Get(Hash(i)));
        }
    }

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public void An_entry_that_has_changed_since_it_was_found_is_not_changed(EntryKind kind)
    {
        using var world = new EntryWorld(kind);
        using EntrySession slow = world.Start(), fast = world.Start();
        Assert.Equal(Outcome.NotFound, slow.Begin(Hash(1)));
        Assert.True(fast.Insert(Hash(1), 100));
        Assert.Equal(Outcome.Retry, slow.Change(200));
        Assert.Equal(Outcome.Ok, slow.Again());
        Assert.Equal(100, slow.Address);
        fast.Add(Hash(1), 1);
        Assert.Equal(Outcome.Retry, slow.Change(200));
        Assert.Equal(Outcome.Retry, slow.Change(0));
        Assert.Equal(Outcome.Ok, slow.Again());
        Assert.True(fast.Remove(Hash(1)));
        Assert.Equal(Outcome.Retry, slow.Change(200));
        Assert.Equal(Outcome.NotFound, slow.Again());
        slow.End();
        Assert.Equal(0, fast.Get(Hash(1)));
    }

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Threads_that_insert_one_hash_leave_one_entry(EntryKind kind)
    {
        using var world = new EntryWorld(kind);
        int rounds = TestBudget.Times(300);
        using var together = new Barrier(Threads);
        int[] won = new int[rounds];
        long[] removed = new long[rounds];
        await RunAsync(world, (session, thread) =>
        {
            for (int round = 0; round < rounds; round++)
            {
                Assert.True(together.SignalAndWait(TestBudget.StallTimeout), "A thread has stalled.");
                ulong hash = Hash(round % Hashes);
                if (session.Insert(hash, thread + 1)) Interlocked.Increment(ref won[round]);
                Assert.NotEqual(0, session.Get(hash));
                Assert.True(together.SignalAndWait(TestBudget.StallTimeout), "A thread has stalled.");
                while (session.Remove(hash)) Interlocked.Increment(ref removed[round]);
                if (thread == 0 && round % 50 == 0) world.Age();
            }
        });
        Assert.All(won, number => Assert.Equal(1, number));
        Assert.All(removed, number => Assert.Equal(1, number));
    }

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Threads_that_replace_entries_lose_none_of_their_changes(EntryKind kind)
    {
        using var world = new EntryWorld(kind);
        int changes = TestBudget.Times(2_000);
        await RunAsync(world, (session, thread) =>
        {
            for (int i = 0; i < changes; i++)
            {
                session.Add(Hash(i % 8), 1);
                if (thread == 0 && i % 100 == 0) world.Age();
            }
        });
        using EntrySession reader = world.Start();
        for (int i = 0; i < 8; i++) Assert.Equal(Threads * changes / 8, reader.Get(Hash(i)));
    }

    [Fact]
    public void An_entry_on_disk_is_an_outcome_and_is_found_when_it_was_read()
    {
        using var world = new EntryWorld(EntryKind.Chunks);
        using EntrySession session = world.Start();
        Assert.True(session.Insert(Hash(1), 100));
        world.Age();
        Assert.Equal(Outcome.EntryOnDisk, session.Begin(Hash(1)));
        session.End();
        Assert.Equal(Outcome.NotFound, session.Begin(Hash(4))); // of another chunk
        session.End();
        Assert.Equal(0, world.Chunks!.Index.Reads);
        Assert.Equal(100, session.Get(Hash(1)));
        Assert.Equal(1, world.Chunks.Index.Reads);
    }

    [Fact]
    public void A_mutable_chunk_is_changed_in_place_an_older_one_by_a_copy_and_none_between()
    {
        using var world = new EntryWorld(EntryKind.Chunks);
        using EntrySession session = world.Start(), other = world.Start();
        for (int i = 1; i <= 3; i++) session.Add(Hash(1), i);
        Assert.Equal(1, world.Chunks!.Index.Log.Appended);
        Assert.Equal(Outcome.NotFound, other.Begin(Hash(9))); // its epoch holds the marker
        _ = world.Chunks.Index.Log.Pages.ShiftReadOnlyToTail();
        Assert.Equal(Outcome.Ok, session.Begin(Hash(1)));
        Assert.Equal(Outcome.Fuzzy, session.Change(50));
        session.End();
        other.End();
        session.Add(Hash(1), 100);
        Assert.Equal(106, session.Get(Hash(1)));
        Assert.Equal(2, world.Chunks.Index.Log.Appended);
    }

    private static ulong Hash(int number) => EntryWorld.Hash(number);

    private static Task RunAsync(EntryWorld world, Action<EntrySession, int> work) =>
        Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Guard.RunAsync(() =>
        {
            using EntrySession session = world.Start();
            work(session, thread);
        })));
}
