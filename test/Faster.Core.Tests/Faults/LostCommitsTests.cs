using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>
/// A folder whose commit records are gone, or the newest of them is damaged, or that was copied while its store was
/// open: it is refused and left as it is, never opened as an empty store.
/// </summary>
public sealed class LostCommitsTests : IDisposable
{
    private const int Keys = 2_000;

    private readonly TemporaryFolder _folder = new();

    /// <summary>The engines, and whether the cold tier lies apart.</summary>
    public static TheoryData<bool, bool> Stores => new() { { false, false }, { true, false }, { true, true } };

    private string Main => Path.Combine(_folder.Path, "main");

    private string Records => Path.Combine(Main, CommitsFile.Name);

    private string Cold => Path.Combine(_folder.Path, "cold");

    public void Dispose() => _folder.Dispose();

    [Theory, MemberData(nameof(Stores))]
    public Task Without_any_record_a_store_that_has_committed_is_refused_and_stays_as_it_is(bool tiers, bool apart) =>
        Guard.RunAsync(async () =>
        {
            await MakeAsync(tiers, apart, commits: 2);
            File.Delete(Records);
            string[] before = Files();
            foreach (bool allowsOlder in (bool[])[false, true])
            {
                var error = await Assert.ThrowsAsync<DamagedDataException>(
                    () => OpenAsync(tiers, apart, Main, allowsOlder));
                Assert.Contains("commit records ('commits') are missing", error.Message, StringComparison.Ordinal);
                Assert.Equal(before, Files());
            }
        });

    [Theory, MemberData(nameof(Stores))]
    public Task Without_the_newest_record_the_one_before_stands_in_only_if_told(bool tiers, bool apart) =>
        Guard.RunAsync(async () =>
        {
            await MakeAsync(tiers, apart, commits: 3);
            CommitsFile.DamageNewest(Main);
            string[] before = Files();
            var error = await Assert.ThrowsAsync<DamagedDataException>(() => OpenAsync(tiers, apart, Main));
            Assert.Equal(Records, error.Path);
            Assert.Equal(before, Files());
            await using (Opened store = await OpenAsync(tiers, apart, Main, allowsOlder: true))
            {
                Assert.Equal(Records, Assert.Single(store.Skipped).Path);
                for (long key = 0; key < Keys; key++) Assert.Equal(key + 2, store.Get(key));
                store.Put(1, 1);
                await store.CommitAsync();
            }

            await using Opened again = await OpenAsync(tiers, apart, Main);
            Assert.Equal(1, again.Get(1));
        });

    [Theory, MemberData(nameof(Stores))]
    public Task Without_metadata_the_files_of_a_store_are_not_taken_for_an_empty_folder(bool tiers, bool apart) =>
        Guard.RunAsync(async () =>
        {
            await MakeAsync(tiers, apart, commits: 1);
            File.Delete(Records);
            File.Delete(Path.Combine(Main, StoreMetadata.FileName));
            string[] before = Files();
            await Assert.ThrowsAsync<DamagedDataException>(() => OpenAsync(tiers, apart, Main));
            Assert.Equal(before, Files());
        });

    // Each copy lists the folder, and copies what is still there when more commits have been made.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_copy_of_an_open_store_is_refused_or_has_a_commit(bool tiers) => Guard.RunAsync(async () =>
    {
        int opened = 0;
        await using (Opened store = await OpenAsync(tiers, apart: false, Main))
        {
            for (int round = 1; round <= 6; round++)
            {
                string copy = Path.Combine(_folder.Path, $"copy{round}");
                Directory.CreateDirectory(copy);
                await PutAllAsync(store, round);
                string[] listed = Directory.GetFiles(Main);
                for (int i = 0; i < round % 4; i++)
                {
                    store.Put(Keys, i);
                    await store.CommitAsync();
                }

                foreach (string file in listed.Where(File.Exists))
                {
                    string name = Path.GetFileName(file);
                    if (name != FolderLock.FileName) File.Copy(file, Path.Combine(copy, name));
                }

                try
                {
                    await using Opened copied = await OpenAsync(tiers, apart: false, copy);
                    for (long key = 0; key < Keys; key++) Assert.Equal(key + round, copied.Get(key));
                    opened++;
                }
                catch (DamagedDataException)
                {
                    // a file that its commit names was made after the folder was listed
                }
            }
        }

        Assert.True(opened > 0, "No copy could be opened.");
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_first_commit_that_can_not_be_noted_fails_and_is_noted_later(bool tiers) => Guard.RunAsync(async () =>
    {
        for (int life = 0; life < 2; life++) // the second one finds a record, and no note
        {
            var files = new FailingFiles(FolderFiles.OpenFolder(Main));
            await using Opened store = Open(tiers, files);
            if (life == 1) Assert.Equal(1, store.Get(1));
            Assert.Equal(life == 1, Noted());
            files.Fault = static name => name.StartsWith(StoreMetadata.FileName, StringComparison.Ordinal)
                ? new StorageException("By the test.") { MayRetry = true }
                : null;
            store.Put(1, 1);
            if (life == 1) break;
            await Assert.ThrowsAsync<StorageException>(store.CommitAsync);
        }

        Assert.True(Noted());
        File.Delete(Records);
        await Assert.ThrowsAsync<DamagedDataException>(() => OpenAsync(tiers, apart: false, Main));
    });

    private async Task MakeAsync(bool tiers, bool apart, int commits)
    {
        await using Opened store = await OpenAsync(tiers, apart, Main);
        for (int round = 1; round <= commits; round++) await PutAllAsync(store, round);
    }

    private static async Task PutAllAsync(Opened store, int round)
    {
        for (long key = 0; key < Keys; key++) store.Put(key, key + round);
        await store.CommitAsync();
    }

    private string[] Files() => [.. Directory.GetFiles(_folder.Path, "*", SearchOption.AllDirectories)
        .Select(static file => $"{file} {new FileInfo(file).Length}").Order(StringComparer.Ordinal)];

    private bool Noted()
    {
        string path = Path.Combine(Main, StoreMetadata.FileName);
        return StoreMetadata.Decode(path, File.ReadAllBytes(path)).HasCommitted;
    }

    private async Task<Opened> OpenAsync(bool tiers, bool apart, string folder, bool allowsOlder = false) => tiers
        ? new Opened(null, await TieredStore.OpenAsync(
            folder, Tiers with { ColdFolder = apart ? Cold : null, AllowOlderCommit = allowsOlder },
            CounterOperations.Schema, default))
        : new Opened(await FasterStore.OpenAsync(
            folder, One with { AllowOlderCommit = allowsOlder }, CounterOperations.Schema, default), null);

    private static Opened Open(bool tiers, StoreFiles files) => tiers
        ? new Opened(null, TieredOpener.Open(
            files, Tiers, CounterOperations.Schema, mustExist: false, null, CancellationToken.None))
        : new Opened(StoreOpener.Open(
            files, One, CounterOperations.Schema, false, null, CancellationToken.None), null);

    private static StoreOptions One => new()
    {
        MemoryBudget = ByteSize.MiB(1), SegmentSize = ByteSize.KiB(64), CommitOnDispose = false,
    };

    private static TieredOptions Tiers => new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
        SegmentSize = ByteSize.KiB(64), CommitOnDispose = false,
    };

    /// <summary>A store of either engine.</summary>
    private sealed class Opened(FasterStore? one, TieredStore? two) : IAsyncDisposable
    {
        private readonly FasterSession? _one = one?.StartSession();
        private readonly TieredSession? _two = two?.StartSession();

        public IReadOnlyList<DamagedDataException> Skipped => (one?.Recovery ?? two?.Recovery)!.Skipped;

        public void Put(long key, long value)
        {
            var upsert = new CounterOperations.Upsert(value);
            if (_one is not null) _ = _one.Upsert(CounterOperations.Key(key), ref upsert);
            else _ = _two!.Upsert(CounterOperations.Key(key), ref upsert);
        }

        public long? Get(long key)
        {
            if (_one is not null) return _one.Get(key);
            (Status status, long value) = CounterOperations.ReadToEnd(_two!, key);
            return status == Status.Ok ? value : null;
        }

        public async Task CommitAsync()
        {
            if (two is not null) _ = await two.CompactHotAsync(two.Hot.Log.TailAddress);
            _ = one is not null ? await one.CommitAsync() : await two!.CommitAsync();
        }

        public async ValueTask DisposeAsync()
        {
            _one?.Dispose();
            _two?.Dispose();
            if (one is not null) await one.DisposeAsync();
            if (two is not null) await two.DisposeAsync();
        }
    }
}
