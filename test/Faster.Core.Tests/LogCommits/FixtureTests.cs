using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.LogCommits;

/// <summary>Folders with commits of each kind, and with two tiers: <see cref="FixtureFolder"/>.</summary>
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
    [InlineData("fold-over")]
    [InlineData("incremental")]
    public async Task A_folder_opens_and_holds_the_committed_values(string name)
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

    [Fact]
    public async Task A_folder_of_two_tiers_opens_and_holds_the_committed_values()
    {
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 100,
            PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64), CommitOnDispose = false,
        };
        await FixtureFolder.CopyAsync("tiered", _copy, async folder =>
        {
            await using TieredStore made = await OpenTieredAsync(folder, options);
            using TieredSession writer = made.StartSession("writer");
            for (long key = 0; key < 2 * Keys; key++) Put(writer, key);
            _ = await made.CompactHotAsync(made.Hot.Log.TailAddress);
            Assert.NotEqual(0, made.HotTruncation.Figures.RecordsCopied);
            for (long key = 2 * Keys; key < 3 * Keys; key++) Put(writer, key);
            _ = await made.CommitAsync(withIndex: true);
        });
        await using TieredStore store = await OpenTieredAsync(_copy.Path, options);
        using TieredSession session = store.ContinueSession("writer", out CommitPoint point);
        Assert.Equal(3 * Keys, point.SerialNumber);
        for (long key = 0; key < 3 * Keys; key++)
            Assert.Equal((Status.Ok, key + 7), CounterOperations.ReadToEnd(session, key));
    }

    private static Task<TieredStore> OpenTieredAsync(string folder, TieredOptions options) =>
        TieredStore.OpenAsync(folder, options, CounterOperations.Schema, CancellationToken.None).AsTask();

    private static void Put(TieredSession session, long key)
    {
        var upsert = new CounterOperations.Upsert(key + 7);
        if (session.Upsert(CounterOperations.Key(key), ref upsert) == Status.Pending)
            session.CompletePending(wait: true);
    }

    // The commits are followed by operations that none covers, so that there is something to leave out.
    private static async Task WriteAsync(string folder, bool foldOver)
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            folder, Options with { CommitOnDispose = false }, CounterOperations.Schema, CancellationToken.None);
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
