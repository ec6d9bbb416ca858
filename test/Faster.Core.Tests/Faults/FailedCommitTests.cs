using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Faults;

/// <summary>Commits that fail leave nothing behind, and the store commits again once it can.</summary>
public sealed class FailedCommitTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Faults => ["damaged", "limit", "retry", "other"];

    public void Dispose() => _folder.Dispose();

    [Theory, MemberData(nameof(Faults))]
    public Task Periodic_commits_go_on_after_any_fault(string kind) => Guard.RunAsync(async () =>
    {
        var files = new FailingFiles(FolderFiles.OpenFolder(_folder.Path));
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), CommitEvery = TimeSpan.FromMilliseconds(1),
            CommitKind = CommitKind.Snapshot,
        };
        using (FasterStore store = Open(files, options))
        {
            var refused = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Exception fault = FaultOf(kind);
            files.Fault = name =>
            {
                if (!name.StartsWith("snapshot", StringComparison.Ordinal)) return null;
                refused.TrySetResult();
                return fault;
            };
            using FasterSession session = store.StartSession("a");
            session.AddTo(1, 1);
            await refused.Task;
            var committed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            store.Committed += commit =>
            {
                if (commit.Points.Any(static point => point.SerialNumber == 1)) committed.TrySetResult();
            };
            files.Fault = null;
            await committed.Task;
            Assert.Same(fault, store.Statistics.LastFault);
        }

        using FasterStore again = Open(FolderFiles.OpenFolder(_folder.Path), options);
        Assert.Equal(1, Assert.Single(again.Recovery!.Sessions).SerialNumber);
    });

    [Theory, MemberData(nameof(Faults))]
    public Task A_commit_whose_record_can_not_be_written_leaves_no_file(string kind) => Guard.RunAsync(async () =>
    {
        var files = new FailingFiles(FolderFiles.OpenFolder(_folder.Path));
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), CommitKind = CommitKind.Snapshot };
        using (FasterStore store = Open(files, options))
        {
            using FasterSession session = store.StartSession("a");
            for (long key = 0; key < 100; key++) session.AddTo(key, 1);
            string[] before = Names();
            Exception fault = FaultOf(kind);
            files.Fault = name => name.StartsWith(CommitsFile.Name, StringComparison.Ordinal) ? fault : null;
            for (int i = 0; i < 3; i++)
            {
                session.AddTo(1, 1);
                Assert.Same(fault, await Assert.ThrowsAnyAsync<Exception>(() => store.CommitAsync()));
                Assert.Equal(before, Names());
            }

            files.Fault = null;
            Assert.False((await store.CommitAsync()).WasEmpty);
            _ = await session.CommitAsync();
            Assert.Single(Names(), static name => name.StartsWith("snapshot", StringComparison.Ordinal));
        }

        using FasterStore again = Open(FolderFiles.OpenFolder(_folder.Path), options);
        using FasterSession reader = again.StartSession();
        Assert.Equal(4, reader.Get(1));
    });

    private static Exception FaultOf(string kind) => kind switch
    {
        "damaged" => new DamagedDataException("By the test."),
        "limit" => new LimitExceededException("By the test."),
        "retry" => new StorageException("By the test.") { MayRetry = true },
        _ => new InvalidOperationException("By the test."),
    };

    private static FasterStore Open(StoreFiles files, StoreOptions options) => StoreOpener.Open(
        files, options, CounterOperations.Schema, false, null, CancellationToken.None);

    private string[] Names() => [.. Directory.GetFiles(_folder.Path).Select(static path => Path.GetFileName(path))
        .Where(static name => !name.StartsWith("log", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
}
