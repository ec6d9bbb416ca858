using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Analytics;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// What has expired leaves both logs of a tiered store, and the log of its cold index, automatically. All keys are
/// compared with a model.
/// </summary>
public sealed class TieredExpiredLogTests : IDisposable
{
    private const int Keys = 40_000, Lasting = 97; // every 97th key never expires
    private const int Look = 61_000; // milliseconds, after which the compactors look again

    private static readonly TimeSpan Life = TimeSpan.FromSeconds(10);

    private readonly TemporaryFolder _folder = new();
    private readonly ManualTime _time = new();
    private readonly long[] _due = new long[Keys]; // 0: never written

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0, false)]
    [InlineData(40, false)]
    [InlineData(0, true)] // only what the compactors commit themselves
    public Task All_files_shrink_and_what_lasts_stays(int diskBudget, bool commits) => Guard.RunAsync(async () =>
    {
        TieredOptions options = Small with { DiskBudget = ByteSize.MiB(diskBudget), TimeToLive = Life };
        await using (TieredStore store = await OpenAsync(options))
        {
            Fill(store, 0, Keys);
            if (commits) _ = await store.CommitAsync();
            Assert.True(store.Cold.Log.TailAddress > ByteSize.MiB(8).Bytes, "Few records have moved.");
            _time.Advance(11_000);
            await PassAsync(store, () => IsLittle() && store.IndexCompactor.Runs > 0);
            AssertModel(store);
            Fill(store, Keys / 2, Keys / 2 + 3_000); // an old key may return
            AssertModel(store);
        }

        await using TieredStore again = await OpenAsync(options);
        AssertModel(again);
        _time.Advance(11_000);
        await PassAsync(again, IsLittle);
        AssertModel(again);
        var live = new HashSet<int>();
        await foreach ((int key, byte[] value) in again.Analytics.ScanAsync(new ScanOptions(), Pair))
        {
            Assert.Equal(Value(key), value);
            Assert.True(live.Add(key));
        }

        Assert.Equal(_due.Count(due => due > _time.Now), live.Count);
    });

    [Fact]
    public Task A_hot_log_below_its_size_gives_back_what_has_expired_there() => Guard.RunAsync(async () =>
    {
        await using var store = new TieredStore(
            TieredPlan.For(Small with { HotLogSize = ByteSize.MiB(64), TimeProvider = _time }, BytesOperations.Schema));
        Fill(store, 0, Keys / 2);
        Assert.Equal(PagedLog.FirstAddress, store.Hot.Log.BeginAddress);
        long full = store.Statistics.HotLogBytes;
        _time.Advance(11_000);
        await PassAsync(store, () => store.Statistics.HotLogBytes < full / 3);
        Assert.True(store.HotTruncation.Figures.RecordsCopied > Keys / 2 / Lasting / 2, "What lasts has not moved.");
        AssertModel(store);
    });

    [Fact]
    public Task A_superseded_record_stays_in_the_hot_log_until_it_expires() => Guard.RunAsync(async () =>
    {
        const int Updated = 1_000;
        TieredOptions options = Small with
        {
            HotLogSize = ByteSize.MiB(64), MutableFraction = 0.1, TimeProvider = _time, TimeToLive = Life,
        };
        await using var store = new TieredStore(TieredPlan.For(options, BytesOperations.Schema));
        for (int round = 0; round < 20; round++) Fill(store, 0, Updated, static _ => false, TimeSpan.FromHours(1));
        long full = store.Statistics.HotLogBytes;
        Assert.True(full > ByteSize.MiB(8).Bytes, "Records were updated in place.");
        for (int looks = 0; looks < 20; looks++) await _time.PassAsync(Look);
        Assert.Equal(PagedLog.FirstAddress, store.Hot.Log.BeginAddress);
        AssertModel(store);
        _time.Advance(3_600_000);
        await PassAsync(store, () => store.Statistics.HotLogBytes < full / 4);
        AssertModel(store);
    });

    [Fact]
    public Task Records_that_last_are_not_copied_for_a_few_that_expire() => Guard.RunAsync(async () =>
    {
        await using var store = new TieredStore(
            TieredPlan.For(Small with { TimeProvider = _time }, BytesOperations.Schema));
        Fill(store, 0, Keys, key => key % 3 != 0);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        (long hot, long cold) = (store.Hot.Log.BeginAddress, store.Cold.Log.BeginAddress);
        for (int looks = 0; looks < 40; looks++) await _time.PassAsync(Look);
        Assert.Equal((hot, cold), (store.Hot.Log.BeginAddress, store.Cold.Log.BeginAddress));
        AssertModel(store);
    });

    [Fact]
    public Task Nothing_is_read_before_a_session_has_set_a_time_to_live() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(Small);
        using TieredSession session = store.StartSession();
        for (int key = 0; key < Keys; key++) session.PutBytes(key, Value(key));
        _ = await store.CommitAsync();
        Assert.Equal(0, _time.Waiting); // a compactor that has begun has looked, and waits
        session.TimeToLive = Life;
        while (_time.Waiting < 2) await Task.Yield(); // both have
        Assert.Null(store.Core.Faults.Last);
    });

    [Fact]
    public Task Each_log_believes_its_own_file_only() => Guard.RunAsync(async () =>
    {
        (string hot, string cold) = (FileOf(StoreFileNames.Expiries), FileOf(StoreFileNames.ColdExpiries));
        await using (TieredStore store = await OpenAsync(LargerHot))
        {
            Fill(store, 0, Keys, life: TimeSpan.FromHours(1));
            _ = await store.CommitAsync();
            await LookAsync(store);
        }

        long onDisk = GarbageStore.LogBytes(_folder.Path, "cold.*");
        Assert.True(onDisk > ByteSize.MiB(8).Bytes, "Few records have moved.");
        Assert.InRange(await BytesReadAsync(faults: 0), 0, onDisk / 4);
        (byte[] ofHot, byte[] ofCold) = (File.ReadAllBytes(hot), File.ReadAllBytes(cold));
        File.WriteAllBytes(hot, ofCold);
        File.WriteAllBytes(cold, ofHot);
        Assert.InRange(await BytesReadAsync(faults: 2), onDisk / 2, onDisk * 2);
        File.Delete(cold);
        Assert.InRange(await BytesReadAsync(faults: 0), onDisk / 2, onDisk * 2);
    });

    // Of real time: commits, steps, waits for space and for other steps are under way when the store is closed.
    [Theory]
    [InlineData(0)]
    [InlineData(24)]
    public Task A_store_is_closed_at_any_moment_of_it(int diskBudget) => Guard.RunAsync(async () =>
    {
        TieredOptions options = Small with { DiskBudget = ByteSize.MiB(diskBudget) };
        for (int round = 0; round < 8; round++)
        {
            TieredStore store = await OpenAsync(options, TimeProvider.System);
            AssertModel(store);
            Fill(store, round * 2_000, round * 2_000 + Keys / 2, life: TimeSpan.FromMilliseconds(50));
            long filled = Environment.TickCount64; // where threads are late, all may expire before it moves
            while (!HasCome(store, round % 4) && Environment.TickCount64 - filled < 1_000) await Task.Yield();
            await store.DisposeAsync();
            Assert.Null(store.Core.Faults.Last);
        }

        await using TieredStore last = await OpenAsync(options, TimeProvider.System);
        AssertModel(last);
    });

    private static bool HasCome(TieredStore store, int what) => what switch
    {
        0 => true,
        1 => store.Hot.Log.BeginAddress > store.Hot.Log.HeadAddress / 2,
        2 => store.ColdTruncation.Figures.BytesReclaimed > 0,
        _ => store.IndexCompactor.Runs > 0,
    };

    private static TieredOptions Small { get; } = new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.MiB(1), ExpectedColdKeys = Keys,
        SegmentSize = ByteSize.KiB(256),
    };

    private static TieredOptions LargerHot { get; } = Small with { HotLogSize = ByteSize.MiB(4) }; // also on disk

    private static byte[] Value(int key)
    {
        byte[] value = new byte[400];
        BitConverter.TryWriteBytes(value, key);
        BitConverter.TryWriteBytes(value.AsSpan(300), ~key);
        return value;
    }

    private static (int Key, byte[] Value) Pair(RecordView record) =>
        (BitConverter.ToInt32(record.Key), record.Value.ToArray());

    private ValueTask<TieredStore> OpenAsync(TieredOptions options, TimeProvider? time = null) =>
        TieredStore.OpenAsync(
            _folder.Path, options with { TimeProvider = time ?? _time }, BytesOperations.Schema,
            CancellationToken.None);

    private string FileOf(string name) => Path.Combine(_folder.Path, name);

    private bool IsLittle() => GarbageStore.LogBytes(_folder.Path, "*") < 2 * Small.MemoryBudget.Bytes;

    private void Fill(TieredStore store, int from, int to, Func<int, bool>? lasts = null, TimeSpan? life = null)
    {
        lasts ??= static key => key % Lasting == 0;
        using TieredSession session = store.StartSession();
        for (int key = from; key < to; key++)
        {
            session.TimeToLive = lasts(key) ? TimeSpan.Zero : life ?? Life;
            _due[key] = lasts(key) ? long.MaxValue : _time.Now + (long)session.TimeToLive.TotalMilliseconds;
            session.PutBytes(key, Value(key));
        }
    }

    // As many checks as it takes.
    private async Task PassAsync(TieredStore store, Func<bool> isDone)
    {
        while (!isDone())
        {
            Assert.Null(store.Core.Faults.Last);
            await _time.PassAsync(Look);
        }
    }

    // Both compactors have looked once more.
    private async Task LookAsync(TieredStore store)
    {
        using TieredSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromHours(1);
        while (_time.Waiting < 2) await Task.Yield();
        _time.Advance(Look);
        while (_time.Waiting < 2) await Task.Yield();
    }

    private async Task<long> BytesReadAsync(int faults)
    {
        await using TieredStore store = await OpenAsync(LargerHot);
        long opened = store.Statistics.BytesRead;
        await LookAsync(store);
        Assert.Equal(faults, store.Core.Faults.Counts.GetValueOrDefault(nameof(DamagedDataException)));
        return store.Statistics.BytesRead - opened;
    }

    private void AssertModel(TieredStore store)
    {
        using TieredSession session = store.StartSession();
        for (int key = 0; key < Keys; key++)
        {
            byte[]? found = session.GetBytes(key);
            bool isAlive = _due[key] > _time.Now, mayBe = store.Options.TimeProvider != _time && found is null;
            if (isAlive && !(mayBe && _due[key] != long.MaxValue)) Assert.Equal(Value(key), found);
            else Assert.Null(found);
        }

        Assert.Null(store.Core.Faults.Last);
    }
}
