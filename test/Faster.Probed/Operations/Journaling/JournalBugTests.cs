using Faster.Contracts;
using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Journaling;

/// <summary>
/// A store whose operations are durable each, after a kill or with the newest commit damaged: what was acknowledged is
/// there, once, and what was lost is told. Each bug is found by what is not.
/// </summary>
public sealed class JournalBugTests
{
    private const string IsLost = "was acknowledged and is lost";
    private const int SpilledKeys = 150_000;

    [Fact]
    public Task Space_that_is_free_although_the_commit_before_needs_it_is_found() =>
        AssertFoundAsync(SeededBug.OlderMarksFreed, FallBackAsync, IsLost);

    [Fact]
    public Task A_lost_number_that_no_record_tells_of_is_found() =>
        AssertFoundAsync(SeededBug.OpenNumbersForgotten, LosePendingAsync, "was lost in silence");

    [Fact]
    public Task Versions_that_return_are_found() =>
        AssertFoundAsync(SeededBug.VersionsReturn, LoseCommitAsync, "12 is read, not 13");

    [Fact]
    public Task A_part_of_the_commit_that_is_carried_out_again_is_found() =>
        AssertFoundAsync(SeededBug.ReplaysCommitted, AddAndCommitAsync, "110 is read, not 105");

    [Fact]
    public Task A_part_that_is_added_to_in_place_is_found() =>
        AssertFoundAsync(SeededBug.DeltaAddedInPlace, AddTwiceAsync, "12 is read, not 112");

    private static async Task AssertFoundAsync(SeededBug bug, Func<Task<string?>> scenario, string symptom)
    {
        Assert.Null(await scenario());
        using IDisposable seeded = SeededProbe.Seed(bug);
        Assert.Contains(symptom, await scenario() ?? "nothing found", StringComparison.Ordinal);
    }

    /// <summary>The newest commit is damaged after a log was filled behind it: the one before must do.</summary>
    private static async Task<string?> FallBackAsync()
    {
        const int Bytes = 8000, Committed = 50, All = 160; // a log has space for 131
        using var folder = new DurableFolder(BytesOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(32), PageSize = ByteSize.KiB(32), OperationLogSize = ByteSize.MiB(4),
                Durability = Durability.EachOperation, CommitOnDispose = false,
            },
        };
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession();
        session.PutBytes(0, ValueOf(0));
        long older = (await store.CommitAsync()).Version;
        for (int key = 1; key < Committed; key++) session.PutBytes(key, ValueOf(key));
        await store.CommitAsync();
        for (int key = Committed; key < All; key++) session.PutBytes(key, ValueOf(key));
        try
        {
            using FasterStore killed = folder.OpenKilled(
                folder.Options with { AllowOlderCommit = true }, CommitsFile.DamageNewest);
            Assert.Equal(older, killed.Recovery!.Version);
            using FasterSession reader = killed.StartSession();
            for (int key = 0; key < All; key++)
                if (!ValueOf(key).SequenceEqual(reader.GetBytes(key) ?? [])) return $"Key {key} {IsLost}.";
            return null;
        }
        catch (DamagedDataException e)
        {
            return $"What {IsLost}: {e.Message}";
        }

        static byte[] ValueOf(int key) => [.. Enumerable.Repeat((byte)(key + 1), Bytes)];
    }

    /// <summary>A later operation is durable when one that waits for the disk is lost.</summary>
    private static async Task<string?> LosePendingAsync()
    {
        using DurableFolder folder = await SpilledAsync(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        var waiting = new CounterOperations.Add(5, null);
        Assert.Equal(Status.Pending, session.Rmw(CounterOperations.Key(-1), ref waiting));
        session.Put(-2, 7);
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal((2, 7, 100), (point.SerialNumber, reader.Get(-2), reader.Get(-1)));
        return point.Excluded is [1] ? null : "Operation 1 was lost in silence.";
    }

    /// <summary>The newest commit is damaged, which has used up its version, and two lives follow.</summary>
    private static async Task<string?> LoseCommitAsync()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using (FasterStore store = folder.Open())
        using (FasterSession session = store.StartSession())
        {
            for (int value = 10; value < 12; value++)
            {
                session.Put(1, value);
                await store.CommitAsync();
            }

            session.Put(1, 12);
        }

        CommitsFile.DamageNewest(folder.StorePath);
        using (FasterStore store = folder.Open(folder.Options with { AllowOlderCommit = true }))
        using (FasterSession session = store.StartSession())
        {
            Assert.Equal(12, session.Get(1));
            session.Put(1, 13);
            await store.CommitAsync();
        }

        using FasterStore last = folder.Open();
        return Judge(last, 1, 13);
    }

    /// <summary>What was added to a value on disk is committed.</summary>
    private static async Task<string?> AddAndCommitAsync()
    {
        using DurableFolder folder = await SpilledAsync(MergingOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession();
        _ = session.Merge(-1, 5);
        Assert.Equal(1, store.Statistics.DeltasAppended);
        await store.CommitAsync();
        using FasterStore killed = folder.OpenKilled();
        return Judge(killed, -1, 105);
    }

    /// <summary>Twice something is added to a value on disk.</summary>
    private static async Task<string?> AddTwiceAsync()
    {
        using DurableFolder folder = await SpilledAsync(MergingOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession();
        _ = session.Merge(-1, 5);
        _ = session.Merge(-1, 7);
        using FasterStore killed = folder.OpenKilled();
        return Judge(killed, -1, 112);
    }

    private static string? Judge(FasterStore store, long key, long expected)
    {
        using FasterSession reader = store.StartSession();
        long? found = reader.Total(key);
        return found == expected ? null : $"Key {key}: {found} is read, not {expected}.";
    }

    // Key -1, of which the value is 100, is on disk.
    private static async Task<DurableFolder> SpilledAsync(RecordSchema schema)
    {
        var folder = new DurableFolder(schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(2), PageSize = ByteSize.KiB(4), ExpectedKeys = 20_000,
                ReadCacheFraction = 0, Durability = Durability.EachOperation, CommitOnDispose = false,
            },
        };
        using FasterStore store = folder.Open(folder.Options with { Durability = Durability.Commits });
        using FasterSession session = store.StartSession();
        session.Put(-1, 100);
        for (long key = 0; key < SpilledKeys; key++) session.Put(key, key);
        await store.CommitAsync();
        return folder;
    }
}
