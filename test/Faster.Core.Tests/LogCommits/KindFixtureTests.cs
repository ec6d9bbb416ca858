using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;
using Faster.Tests.Checkpoints;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.LogCommits;

/// <summary>A folder of each kind of value, and with discarded ranges: <see cref="FixtureFolder"/>.</summary>
public sealed class KindFixtureTests : IDisposable
{
    private const int Keys = 40;
    private const long Life = 3_600_000; // milliseconds

    private static readonly StoreOptions Options = new()
    {
        MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ExpectedKeys = 100,
    };

    private readonly TemporaryFolder _copy = new();

    public void Dispose() => _copy.Dispose();

    [Fact]
    public Task Bytes_and_large_values() =>
        CheckAsync("bytes", BytesOperations.Schema, Options, FillBytes, Bytes);

    [Fact]
    public Task Merged_values() => CheckAsync(
        "merged", MergingOperations.Schema, Options, FillParts,
        static session => Assert.All(session.Totals(Numbers()), pair => Assert.Equal(pair.Key + 1000, pair.Value)));

    [Fact]
    public Task Values_that_expire() => CheckAsync(
        "expiring", CounterOperations.Schema, Options with { TimeProvider = new ManualTime() },
        static session =>
        {
            for (long key = 0; key < Keys; key++)
            {
                session.TimeToLive = TimeSpan.FromMilliseconds(key % 2 == 0 ? Life : 0);
                session.Put(key, key);
            }
        },
        static session =>
        {
            for (long key = 0; key < Keys; key++) Assert.Equal(key, session.Get(key));
            ((ManualTime)session.Store.Options.TimeProvider).Advance(Life + 1);
            for (long key = 0; key < Keys; key++) Assert.Equal(key % 2 == 0 ? null : key, session.Get(key));
        });

    [Fact]
    public Task Abandoned_ranges()
    {
        long address = 0;
        return CheckAsync(
            "abandoned", CounterOperations.Schema, Options,
            session =>
            {
                for (long key = 0; key < Keys; key++) session.Put(key, key);
                _ = session.Store.Analytics.Source.Log.ShiftReadOnlyToTail();
                session.Put(1, 1000);
                address = session.Store.Log.TailAddress - 24;
            },
            static session =>
            {
                for (long key = 0; key < Keys; key++) Assert.Equal(key, session.Get(key));
            },
            folder => Discard(
                folder, new DiscardedRange(address, address + 24, RecordHeader.CodeOf(RecordHeader.FirstVersion))));
    }

    // Adds a range to the one commit.
    private static void Discard(string folder, DiscardedRange range)
    {
        using FolderFiles files = FolderFiles.OpenFolder(folder);
        ulong identity = IdentityOf(folder);
        CommitRecord record = new CommitCatalog(files, identity).ReadNewest(false, [])!;
        files.Delete(CommitsFile.Name);
        using var catalog = new CommitCatalog(files, identity);
        catalog.Publish(record.WithLog(log => log with { Discarded = [range] }));
    }

    private static ulong IdentityOf(string folder)
    {
        string path = Path.Combine(folder, StoreMetadata.FileName);
        return StoreMetadata.Decode(path, File.ReadAllBytes(path)).Identity;
    }

    private static IEnumerable<long> Numbers() => Enumerable.Range(0, Keys).Select(static key => (long)key);

    // A record that others may still update in place gets a delta in front of it.
    private static unsafe void FillParts(FasterSession session)
    {
        for (long key = 0; key < Keys; key++) session.Put(key, key);
        EpochTable epochs = session.Store.Epochs;
        EpochSlot* holder = epochs.Acquire("the holder of the fuzzy region");
        epochs.Enter(holder);
        _ = session.Store.Analytics.Source.Log.ShiftReadOnlyToTail();
        for (long key = 0; key < Keys; key++) _ = session.Merge(key, 1000);
        epochs.Leave(holder);
        epochs.Release(holder);
        Assert.Equal(Keys, session.Store.Statistics.DeltasAppended);
    }

    private static void FillBytes(FasterSession session)
    {
        for (int key = 0; key < Keys; key++) session.PutBytes(key, LargeStore.Value(key, key));
        session.PutBytes(Keys, LargeStore.Value(9_000, Keys));
        session.Append(3, LargeStore.Value(5_000, 3));
        _ = session.RemoveBytes(7);
    }

    private static void Bytes(FasterSession session)
    {
        for (int key = 0; key <= Keys; key++)
        {
            byte[]? expected = key switch
            {
                3 => [.. LargeStore.Value(3, 3), .. LargeStore.Value(5_000, 3)],
                7 => null,
                Keys => LargeStore.Value(9_000, Keys),
                _ => LargeStore.Value(key, key),
            };
            Assert.Equal(expected, session.GetBytes(key));
        }
    }

    private async Task CheckAsync(
        string name, RecordSchema schema, StoreOptions options, Action<FasterSession> fill,
        Action<FasterSession> check, Action<string>? change = null)
    {
        await FixtureFolder.CopyAsync(name, _copy, async folder =>
        {
            await using (FasterStore made = await FasterStore.OpenAsync(
                folder, options, schema, default))
            {
                await using FasterSession writer = made.StartSession("writer");
                fill(writer);
                _ = await made.CommitAsync(CommitKind.FoldOver, withIndex: true);
            }

            change?.Invoke(folder);
        });
        await using FasterStore store = await FasterStore.RecoverAsync(_copy.Path, options, schema, null, default);
        await using FasterSession session = store.ContinueSession("writer", out CommitPoint point);
        Assert.True(point.SerialNumber >= Keys);
        check(session);
    }
}
