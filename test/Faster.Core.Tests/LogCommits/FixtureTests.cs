using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.LogCommits;

/// <summary>Folders with commit records of version 1, by commits of each kind: <see cref="FixtureFolder"/>.</summary>
public sealed class FixtureTests : IDisposable
{
    private const int Keys = 100;

    private static readonly StoreOptions Options = new()
    {
        MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ExpectedKeys = 100,
    };

    private readonly TemporaryFolder _copy = new();

    public void Dispose() => _copy.Dispose();

    [Theory]
    [InlineData("fold-over-1")]
    [InlineData("incremental-1")]
    public async Task A_folder_of_version_1_opens_and_says_what_was_committed(string name)
    {
        bool foldsOver = name.StartsWith("fold", StringComparison.Ordinal);
        await FixtureFolder.CopyAsync(name, _copy, folder => WriteAsync(folder, foldsOver));
        await using FasterStore store = await FasterStore.RecoverAsync(
            _copy.Path, Options, CounterOperations.Schema, null, CancellationToken.None);
        using FasterSession session = store.ContinueSession("writer", out CommitPoint point);
        Assert.Equal(3 * Keys, point.SerialNumber);
        for (long key = 0; key < Keys; key++)
            Assert.Equal(key % 10 == 3 ? null : key + 7, session.Get(key));
        session.AddTo(1, 1);
        Assert.Equal(point.SerialNumber + Keys + 1, (await session.CommitAsync()).SerialNumber);
    }

    // The commits are followed by operations that none covers, so that there is something to leave out.
    private static async Task WriteAsync(string folder, bool foldOver)
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            folder, Options, CounterOperations.Schema, CancellationToken.None);
        using FasterSession session = store.StartSession("writer");
        for (long key = 0; key < Keys; key++) session.Put(key, key);
        _ = await store.CommitAsync(foldOver ? CommitKind.FoldOver : CommitKind.Snapshot, withIndex: true);
        for (long key = 0; key < Keys; key++) session.AddTo(key, 7);
        _ = await store.CommitAsync(foldOver ? CommitKind.FoldOver : CommitKind.Incremental);
        for (long key = 0; key < Keys; key++)
        {
            if (key % 10 == 3) _ = session.Remove(key);
            else Assert.Equal(key + 7, session.Get(key));
        }

        _ = await store.CommitAsync(foldOver ? CommitKind.FoldOver : CommitKind.Incremental);
        for (long key = 0; key < Keys; key++) session.AddTo(key, 1000);
    }
}
