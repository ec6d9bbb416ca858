using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Faster.Tests.Engines;
using Xunit.Abstractions;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>
/// The commit on closing fails: the store is closed all the same, says so by a typed exception, and opens in the state
/// of its last durable commit or of the new one. <see cref="LeakTests"/> shows that everything is freed.
/// </summary>
public sealed class CommitOnDisposeFaultTests(ITestOutputHelper output)
{
    private const int Keys = 3_000;

    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
    };

    public static TheoryData<CommitKind, bool, bool> Cases
    {
        get
        {
            var cases = new TheoryData<CommitKind, bool, bool>();
            foreach (CommitKind kind in Enum.GetValues<CommitKind>())
            foreach ((bool persistent, bool full) in new[] { (false, false), (true, false), (true, true) })
                cases.Add(kind, persistent, full);
            return cases;
        }
    }

    [Theory, MemberData(nameof(Cases))]
    public async Task Each_call_that_fails_ends_in_one_of_two_states(CommitKind kind, bool persistent, bool full)
    {
        int runs = 0, failures = 0;
        var steps = new FaultSteps();
        for (int n = 1; ; n = steps.After(n, n / 8.0))
        {
            bool clean = false;
            await Guard.RunAsync(async () =>
            {
                using var folder = new TemporaryFolder();
                var calls = new NthCallFails();
                (FasterStore store, long version) = await PrepareAsync(folder.Path, calls, kind);
                calls.Arm(n, persistent, full);
                StorageException? failure = await CloseAsync(store, blocks: n % 2 == 0);
                clean = !calls.Failed;
                await store.DisposeAsync();
                store.Dispose();
                if (failure is not null)
                {
                    failures++;
                    Assert.Contains("is closed", failure.Message, StringComparison.Ordinal);
                    Assert.Contains($"of version {version};", failure.Message, StringComparison.Ordinal);
                    Assert.NotNull(failure.InnerException);
                }

                Assert.False(clean && failure is not null);
                await CheckAsync(folder.Path, kind, mayBeOld: failure is not null);
            });
            runs++;
            if (clean) break;
        }

        output.WriteLine($"{runs} runs, {failures} commits failed");
        // A write of the log that fails once is retried with success.
        Assert.True(failures > (persistent ? 3 : 0), "The commit hardly calls anything: the test shows nothing.");
    }

    [Fact]
    public Task Two_threads_that_close_get_one_exception() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var calls = new NthCallFails();
        (FasterStore store, _) = await PrepareAsync(folder.Path, calls, CommitKind.FoldOver);
        calls.Arm(1, persistent: true, full: true);
        StorageException?[] failures = await Task.WhenAll(
            Task.Run(() => CloseAsync(store, blocks: true)), Task.Run(() => CloseAsync(store, blocks: false)));
        Assert.Single(failures, static failure => failure is not null);
        await CheckAsync(folder.Path, CommitKind.FoldOver, mayBeOld: true);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_poisoned_store_makes_no_attempt(bool blocks) => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var device = new FaultDevice(new MemoryDevice());
        FasterStore store = Open(FolderFiles.OpenFolder(folder.Path), Small with { Device = device });
        using (FasterSession session = store.StartSession()) session.Put(1, 1);
        device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Sync, 1)] });
        await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync());
        string[] names = Directory.GetFiles(folder.Path);
        FaultCounters before = device.Counters;
        StorageException? failure = await CloseAsync(store, blocks);
        Assert.Contains("poisoned", failure!.Message, StringComparison.Ordinal);
        Assert.Contains("No commit before it was durable", failure.Message, StringComparison.Ordinal);
        Assert.Equal(before, device.Counters);
        Assert.Equal(names, Directory.GetFiles(folder.Path));
        using FolderFiles unlocked = FolderFiles.OpenFolder(folder.Path);
    });

    /// <summary>The log's memory is full, because its pages can't be written; the index waits for space, too.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_disk_that_was_full_before_ends_the_closing(bool blocks) => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var device = new FaultDevice(new MemoryDevice());
        FasterStore store = Open(FolderFiles.OpenFolder(folder.Path), Small with { Device = device });
        FasterSession session = store.StartSession("loader");
        device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Write, 1, FaultFlavor.NoSpace, Persistent: true)] });
        Assert.Throws<StorageException>((Action)(() =>
        {
            for (int key = 0; ; key++) session.Put(key, key);
        }));
        Task growth = store.GrowIndexAsync();
        StorageException? failure = await CloseAsync(store, blocks);
        await growth.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Assert.NotNull(failure);
        using FolderFiles unlocked = FolderFiles.OpenFolder(folder.Path);
    });

    /// <summary>The folder is as it was, so it may be opened again with an older commit, or be restored.</summary>
    [Fact]
    public Task A_store_that_could_not_be_opened_commits_nothing() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        (FasterStore store, _) = await PrepareAsync(folder.Path, new NthCallFails(), CommitKind.Snapshot);
        await store.DisposeAsync();
        foreach (string snapshot in Directory.GetFiles(folder.Path, "snapshot*"))
        {
            byte[] bytes = File.ReadAllBytes(snapshot);
            bytes[bytes.Length / 2] ^= 1;
            File.WriteAllBytes(snapshot, bytes);
        }

        (string Name, DateTime)[] before = Names();
        Assert.Throws<DamagedDataException>(() => Open(FolderFiles.OpenFolder(folder.Path), Small));
        Assert.Equal(before, Names());

        (string Name, DateTime)[] Names() => [.. Directory.GetFiles(folder.Path)
            .Where(static path => !path.Contains("lock", StringComparison.Ordinal))
            .Select(static path => (path, File.GetLastWriteTimeUtc(path))).Order()];
    });

    // A state that is committed, and a second one that is not.
    private static async Task<(FasterStore Store, long Version)> PrepareAsync(
        string folder, NthCallFails calls, CommitKind kind)
    {
        FasterStore store = Open(
            FolderFiles.OpenFolder(folder, unbuffered: true, calls), Small with { CommitKind = kind });
        FasterSession session = store.StartSession("loader"); // stays open
        for (int key = 0; key < Keys; key++) session.Put(key, key);
        Commit commit = await store.CommitAsync();
        using FasterSession unnamed = store.StartSession();
        for (int key = 0; key < Keys; key += 2) session.AddTo(key, 1);
        for (int key = 1; key < Keys; key += 2) unnamed.AddTo(key, 1);
        return (store, commit.Version);
    }

    private static async Task CheckAsync(string folder, CommitKind kind, bool mayBeOld)
    {
        await using FasterStore store = Open(
            FolderFiles.OpenFolder(folder), Small with { CommitKind = kind, CommitOnDispose = false });
        FasterSession session = store.ContinueSession("loader", out CommitPoint point);
        bool isOld = point.SerialNumber == Keys;
        Assert.Equal(isOld ? Keys : Keys + (Keys / 2), point.SerialNumber);
        Assert.True(mayBeOld || !isOld, "The commit has not failed, and is not there.");
        for (int key = 0; key < Keys; key++) Assert.Equal(isOld ? key : key + 1, session.Get(key));
    }

    private static async Task<StorageException?> CloseAsync(FasterStore store, bool blocks)
    {
        try
        {
            if (blocks) store.Dispose();
            else await store.DisposeAsync();
            return null;
        }
        catch (StorageException e)
        {
            return e;
        }
    }

    private static FasterStore Open(StoreFiles files, StoreOptions options) =>
        StoreOpener.Open(files, options, Schema, false, null, CancellationToken.None);
}
