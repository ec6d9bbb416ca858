using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines.Tiered;
using Faster.HashChunks;
using Faster.Log;
using Faster.Testing;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>Commits of tiered stores that fail, or whose files are damaged later.</summary>
public sealed class TieredCommitFaultTests : IDisposable
{
    private const int Keys = 4000;

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
        SegmentSize = ByteSize.KiB(256), CommitOnDispose = false, AllowOlderCommit = true,
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("directory.")] // no directory of chunks
    [InlineData("snapshot.")]
    public async Task A_failed_commit_lets_compactions_go_on_and_the_next_one_has_all(string prefix)
    {
        var files = new FailingFiles(FolderFiles.OpenFolder(_folder.Path));
        await using (TieredStore store = Open(files))
        {
            using TieredSession session = store.StartSession("client");
            await MoveAllAsync(store, session, 1);
            _ = await store.CommitAsync(CommitKind.Snapshot);
            for (int failures = 0; failures < 2; failures++)
            {
                await MoveAllAsync(store, session, 2 + failures);
                files.Fault = name => name.StartsWith(prefix, StringComparison.Ordinal)
                    ? new StorageException("By the test.") { MayRetry = true }
                    : null;
                await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync(CommitKind.Snapshot));
            }

            files.Fault = null;
            await MoveAllAsync(store, session, 4);
            _ = await store.CommitAsync(CommitKind.Snapshot);
            await MoveAllAsync(store, session, 5); // is lost
        }

        Assert.Equal(2, Directory.GetFiles(_folder.Path, "directory.*").Length);
        await using TieredStore again = Open(FolderFiles.OpenFolder(_folder.Path));
        Assert.Empty(again.Recovery!.Skipped);
        using TieredSession client = again.ContinueSession("client", out _);
        CheckAll(client, 4);
    }

    // The copies of moved chunks lie below the end of the directory that leads to their old places; then the log of
    // chunks is truncated above these, and the next commit, of the hot log only, finds that the log has not grown.
    [Fact]
    public async Task Chunks_that_move_while_their_directory_is_written_are_found_by_the_commit_after_it()
    {
        TieredStore? moving = null;
        Task? moved = null;
        long until = 0;
        var files = new WatchedFiles(FolderFiles.OpenFolder(_folder.Path), name =>
        {
            if (moving is null || moved is not null || !name.StartsWith("directory.", StringComparison.Ordinal)) return;
            PagedLog log = moving.ColdIndex.Log.Pages;
            until = log.PageStartOf(log.TailAddress);
            moved = moving.IndexCompactor.RunAsync(until);
            ChunkDirectory directory = moving.ColdIndex.Directory;
            Assert.True(SpinWait.SpinUntil(
                () => Enumerable.Range(0, (int)directory.ChunkCount)
                    .All(chunk => directory.AddressOf(chunk) is var at && (at == 0 || at >= until)),
                TestBudget.StallTimeout));
        });
        await using (TieredStore store = Open(files))
        {
            using TieredSession session = store.StartSession("client");
            await MoveAllAsync(store, session, 1);
            moving = store;
            _ = await store.CommitAsync();
            await moved!.WaitAsync(TestBudget.StallTimeout);
            Assert.Equal(until, store.ColdIndex.Log.Pages.BeginAddress);
            Assert.True(until > PagedLog.FirstAddress, "No chunk had to move.");
            PutAll(session, 2);
            _ = await store.CommitAsync();
        }

        await using TieredStore again = Open(FolderFiles.OpenFolder(_folder.Path));
        Assert.Empty(again.Recovery!.Skipped);
        using TieredSession client = again.ContinueSession("client", out _);
        CheckAll(client, 2);
    }

    [Fact]
    public async Task An_older_commit_stands_in_for_one_whose_directory_is_damaged()
    {
        await using (TieredStore store = Open(FolderFiles.OpenFolder(_folder.Path)))
        {
            using TieredSession session = store.StartSession("client");
            for (int round = 1; round <= 3; round++)
            {
                await MoveAllAsync(store, session, round);
                _ = await store.CommitAsync();
            }

            await MoveAllAsync(store, session, 4);
        }

        Damage(Directory.GetFiles(_folder.Path, "directory.*").Max(StringComparer.Ordinal)!);
        for (int round = 0; round < 2; round++)
        {
            await using TieredStore store = Open(FolderFiles.OpenFolder(_folder.Path));
            Assert.Equal(round == 0 ? 1 : 0, store.Recovery!.Skipped.Count);
            using TieredSession session = store.StartSession("client");
            CheckAll(session, round == 0 ? 2 : 9);
            await MoveAllAsync(store, session, 9);
            _ = await store.CommitAsync();
        }
    }

    [Fact]
    public async Task A_store_that_is_closed_amid_commits_and_compactions_has_a_prefix()
    {
        const int Rounds = 12;
        long done = 0;
        List<(long Serial, long Key)> writes = []; // each has written its serial number
        for (int round = 0; round < Rounds; round++)
        {
            TieredStore store = Open(FolderFiles.OpenFolder(_folder.Path));
            List<Task> running = [];
            using (TieredSession session = store.StartSession("client"))
            {
                long serial = session.RecoveredPoint.SerialNumber;
                Assert.True(serial >= done, "A commit is lost.");
                writes.RemoveAll(write => write.Serial > serial);
                var last = new long?[Keys];
                foreach ((long written, long key) in writes) last[key] = written;
                for (long key = 0; key < Keys; key++) Assert.Equal(last[key], Get(session, key));
                for (long n = 0; n < 3 * Keys; n++)
                {
                    session.Put(n % Keys, session.SerialNumber + 1);
                    writes.Add((session.SerialNumber, n % Keys));
                    if (n % Keys != round * 300) continue;
                    running.Add(store.CommitAsync());
                    running.Add(store.CompactHotAsync(store.Hot.Log.TailAddress));
                    running.Add(store.CompactColdAsync(store.Cold.Log.HeadAddress));
                }
            }

            await store.DisposeAsync();
            foreach (Task task in running)
            {
                Exception? failure = await Record.ExceptionAsync(() => task.WaitAsync(TestBudget.StallTimeout));
                Assert.True(failure is null or ObjectDisposedException, $"{failure}");
                if (failure is null && task is Task<Commit> commit) done = (await commit).Points.Single().SerialNumber;
            }

            Assert.Null(store.Core.Faults.Last);
        }
    }

    private static TieredStore Open(StoreFiles files) =>
        TieredOpener.Open(files, Small, Schema, mustExist: false, null, CancellationToken.None);

    private static void Damage(string path)
    {
        byte[] bytes = File.ReadAllBytes(path);
        bytes[bytes.Length / 2] ^= 0xA5;
        File.WriteAllBytes(path, bytes);
    }

    private static async Task MoveAllAsync(TieredStore store, TieredSession session, long value)
    {
        PutAll(session, value);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
    }

    private static void PutAll(TieredSession session, long value)
    {
        for (long key = 0; key < Keys; key++) session.Put(key, (key * 10) + value);
    }

    private static void CheckAll(TieredSession session, long value)
    {
        for (long key = 0; key < Keys; key++) Assert.Equal((key * 10) + value, Get(session, key));
    }

    private static long? Get(TieredSession session, long key)
    {
        (Status status, long value) = ReadToEnd(session, key);
        return status == Status.Ok ? value : null;
    }
}
