using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>
/// What makes file calls fail for a while (rights, a limit, a disk that is full, read-only or broken) fails the commits
/// of that time, and nothing else: the next one covers what they would have.
/// </summary>
public sealed class LostRightsTests : IDisposable
{
    private static readonly RefusedCall[] _calls =
        [RefusedCall.Create, RefusedCall.Write, RefusedCall.Delete, RefusedCall.OpenFolder];

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<int> Errors => [1, 5, 13, 23, 24, 28, 30]; // EPERM EIO EACCES ENFILE EMFILE ENOSPC EROFS

    public void Dispose() => _folder.Dispose();

    [UnixTheory("the numbers are others"), MemberData(nameof(Errors))]
    public Task A_commit_that_fails_so_is_made_later(int error) => Guard.RunAsync(async () =>
    {
        var calls = new RefusingCalls();
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), CommitOnDispose = false };
        long added = 0;
        using (FasterStore store = Open(FolderFiles.OpenFolder(_folder.Path, true, calls), options))
        {
            using FasterSession session = store.StartSession("a");
            Add();
            (calls.Refused, calls.Error) = ([RefusedCall.Rename], error); // of the file of records, once
            Assert.True((await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync())).MayRetry);
            calls.Error = 0;
            foreach (CommitKind kind in Enum.GetValues<CommitKind>())
            {
                await GoThroughAsync(
                    calls, error, Add, () => store.CommitAsync(kind, withIndex: kind == CommitKind.FoldOver));
            }

            Assert.Equal(3, CommitsFile.Versions(_folder.Path).Length);

            void Add()
            {
                added++;
                session.AddTo(1, 1);
            }
        }

        using FasterStore again = Open(FolderFiles.OpenFolder(_folder.Path), options);
        using FasterSession reader = again.ContinueSession("a", out CommitPoint point);
        Assert.Equal((added, added), (reader.Get(1), point.SerialNumber));
    });

    [UnixTheory("the numbers are others"), MemberData(nameof(Errors))]
    public Task So_it_is_with_two_tiers(int error) => Guard.RunAsync(async () =>
    {
        var calls = new RefusingCalls();
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
            SegmentSize = ByteSize.KiB(256), CommitOnDispose = false,
        };
        long added = 0;
        await using (TieredStore store = Tiers(FolderFiles.OpenFolder(_folder.Path, true, calls), options))
        {
            using TieredSession session = store.StartSession("a");
            foreach (CommitKind kind in Enum.GetValues<CommitKind>())
            {
                await GoThroughAsync(calls, error, Add, () => store.CommitAsync(kind, withIndex: true));
                _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            }

            void Add()
            {
                added++;
                var operation = new CounterOperations.Upsert(added);
                _ = session.Upsert(CounterOperations.Key(added), ref operation);
            }
        }

        await using TieredStore again = Tiers(FolderFiles.OpenFolder(_folder.Path), options);
        using TieredSession reader = again.ContinueSession("a", out CommitPoint point);
        Assert.Equal(added, point.SerialNumber);
    });

    [OrdinaryUserFact]
    public Task A_folder_that_is_not_writable_for_a_moment_fails_the_commits_of_that_moment() =>
        Guard.RunAsync(async () =>
        {
            if (OperatingSystem.IsWindows()) return; // skipped there
            using FasterStore store = Open(
                FolderFiles.OpenFolder(_folder.Path), new StoreOptions { MemoryBudget = ByteSize.MiB(1) });
            using FasterSession session = store.StartSession("a");
            UnixFileMode mode = File.GetUnixFileMode(_folder.Path);
            session.AddTo(1, 1);
            File.SetUnixFileMode(_folder.Path, UnixFileMode.UserRead | UnixFileMode.UserExecute);
            var error = await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync(CommitKind.Snapshot));
            File.SetUnixFileMode(_folder.Path, mode);
            Assert.True(error.MayRetry);
            _ = await store.CommitAsync(CommitKind.Snapshot);
        });

    [Fact]
    public Task A_poisoned_store_speaks_of_no_retry() => Guard.RunAsync(async () =>
    {
        var calls = new RefusingCalls();
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), CommitOnDispose = false };
        using FasterStore store = Open(FolderFiles.OpenFolder(_folder.Path, true, calls), options);
        using FasterSession session = store.StartSession("a");
        session.AddTo(1, 1);
        (calls.Refused, calls.Error) = ([RefusedCall.Sync], 5);
        for (int i = 0; i < 2; i++)
        {
            var error = await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync());
            calls.Error = 0;
            Assert.False(error.MayRetry);
            Assert.Contains("open", error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("retry", error.Message, StringComparison.Ordinal);
            Assert.Equal(i == 1, error.Message.Contains("is poisoned", StringComparison.Ordinal));
        }
    });

    // Each call is refused alone, and all of them; updates go on, and once all is well again the commit is made.
    private static async Task GoThroughAsync(RefusingCalls calls, int error, Action update, Func<Task<Commit>> commit)
    {
        update();
        _ = await commit();
        foreach (RefusedCall[] refused in _calls.Select(static call => (RefusedCall[])[call]).Append(_calls))
        {
            int before = calls.Refusals;
            (calls.Refused, calls.Error) = (refused, error);
            for (int i = 0; i < 2; i++)
            {
                update();
                try
                {
                    _ = await commit(); // what can't be deleted fails no commit
                }
                catch (StorageException e)
                {
                    Assert.True(e.MayRetry, e.Message);
                    Assert.DoesNotContain("poisoned", e.Message, StringComparison.Ordinal);
                }
            }

            Assert.True(calls.Refusals > before, $"{refused[0]} was not called");
            calls.Error = 0;
            update();
            Assert.False((await commit()).WasEmpty);
        }
    }

    private static FasterStore Open(StoreFiles files, StoreOptions options) => StoreOpener.Open(
        files, options, CounterOperations.Schema, false, null, CancellationToken.None);

    private static TieredStore Tiers(StoreFiles files, TieredOptions options) => TieredOpener.Open(
        files, options, CounterOperations.Schema, mustExist: false, null, CancellationToken.None);
}
