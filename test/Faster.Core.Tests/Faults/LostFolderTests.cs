using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>The folder of an open store is deleted, moved or replaced: no commit succeeds any more.</summary>
public sealed class LostFolderTests : IDisposable
{
    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();

    [UnixTheory("an open file keeps its folder")]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    public Task No_commit_succeeds_in_a_deleted_folder_and_the_folder_is_not_made_again(CommitKind kind) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await OpenAsync();
            await CommitSomeAsync(store, kind);
            Directory.Delete(_folder.Path, recursive: true);
            await FailsAsync(store, kind);
            Assert.False(Directory.Exists(_folder.Path));
        });

    [UnixFact("an open file keeps its folder")]
    public Task No_commit_lands_in_a_copy_that_took_the_folders_place() => Guard.RunAsync(async () =>
    {
        string moved = _folder.Path + "-moved";
        try
        {
            await using FasterStore store = await OpenAsync();
            await CommitSomeAsync(store, CommitKind.FoldOver);
            Directory.Move(_folder.Path, moved);
            Directory.CreateDirectory(_folder.Path);
            foreach (string file in Directory.GetFiles(moved))
                File.WriteAllBytes(Path.Combine(_folder.Path, Path.GetFileName(file)), []);
            string[] names = Names();
            await FailsAsync(store, CommitKind.FoldOver);
            Assert.Equal(names, Names());
        }
        finally
        {
            if (Directory.Exists(moved)) Directory.Delete(moved, recursive: true);
        }
    });

    public void Dispose() => _folder.Dispose();

    private string[] Names() => [.. Directory.GetFiles(_folder.Path).Order(StringComparer.Ordinal)];

    private static async Task CommitSomeAsync(FasterStore store, CommitKind kind)
    {
        await using FasterSession session = store.StartSession();
        for (int key = 0; key < 1_000; key++) session.Put(key, key);
        await store.CommitAsync(kind);
    }

    // What fits into the segments that are open, what needs new ones, and whatever is tried after that.
    private static async Task FailsAsync(FasterStore store, CommitKind kind)
    {
        await using FasterSession session = store.StartSession();
        session.Put(1, 2);
        await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync(kind));
        try
        {
            for (int key = 0; key < 60_000; key++) session.Put(key, key);
        }
        catch (StorageException)
        {
            // The log needs new files.
        }

        var error = await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync(kind));
        Assert.Contains("deleted, moved or replaced", error.Message, StringComparison.Ordinal);
    }

    private Task<FasterStore> OpenAsync() =>
        FasterStore.OpenAsync(_folder.Path, Small, CounterOperations.Schema, default).AsTask();
}
