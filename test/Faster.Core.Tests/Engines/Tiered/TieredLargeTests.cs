using System.Buffers;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Log.Large;
using Faster.Operations.Large;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Values larger than a page in tiered stores, compared with a model while records move all the time.
/// </summary>
public sealed class TieredLargeTests : IDisposable
{
    private const int Keys = 40;

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = new ByteSize(Page), ReadCacheFraction = 0,
        HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 1_000, ExpectedHotKeys = 1_000, CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0, 1)]
    [InlineData(0.5, 3)]
    public async Task Values_of_any_length_keep_their_bytes_wherever_they_move(double cache, int threads)
    {
        await using TieredStore store =
            await OpenAsync(Small with { ReadCacheFraction = cache, CompactionThreads = threads });
        using TieredSession session = store.StartSession();
        var random = new Random(11);
        var model = new Dictionary<int, byte[]>();
        for (int step = 0; step < TestBudget.Times(3000); step++)
        {
            int key = random.Next(Keys);
            byte[] value = Value((int)Math.Pow(50_000, random.NextDouble()), step);
            byte[] old = model.GetValueOrDefault(key, []);
            switch (random.Next(8))
            {
                case 0:
                    _ = session.RemoveBytes(key);
                    model.Remove(key);
                    break;
                case 1 or 2 when old.Length < 50_000:
                    session.Append(key, value);
                    model[key] = [.. old, .. value];
                    break;
                case 3:
                    Assert.Equal(Status.Ok, await session.PutAsync(key, InPieces(model[key] = value, 1000)));
                    break;
                default:
                    session.PutBytes(key, model[key] = value);
                    break;
            }

            if (step % 100 == 99) _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            if (step % 150 == 149) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            int other = random.Next(Keys);
            Assert.Equal(model.GetValueOrDefault(other), session.GetBytes(other));
            var written = new ArrayBufferWriter<byte>();
            other = random.Next(Keys);
            bool exists = await session.ReadAsync(other, written) is not null;
            Assert.Equal(model.GetValueOrDefault(other), exists ? written.WrittenSpan.ToArray() : null);
        }

        for (int key = 0; key < Keys; key++) Assert.Equal(model.GetValueOrDefault(key), session.GetBytes(key));
        AssertQuiet(store);
        Assert.True(store.Cold.Log.BeginAddress > PagedLog.FirstAddress, "Nothing was compacted.");
    }

    [Fact]
    public async Task Readers_and_writers_beside_both_compactions_meet_whole_values_only()
    {
        const int Writers = 2, Steps = 800;
        await using TieredStore store = await OpenAsync(Small);
        using (TieredSession session = store.StartSession())
            for (int key = 0; key < Keys; key++) session.PutBytes(key, Telling(key, 0));
        Task[] threads =
        [
            .. Enumerable.Range(0, Writers).Select(number => Guard.RunAsync(() =>
            {
                using TieredSession session = store.StartSession();
                var random = new Random(number);
                for (int i = 1; i < TestBudget.Times(Steps); i++)
                {
                    int key = random.Next(Keys);
                    session.PutBytes(key, Telling(key, (number << 20) + i));
                    if (random.Next(2) == 0) key = random.Next(Keys);
                    Check(key, session.GetBytes(key));
                }
            })),
            Guard.RunAsync(async () =>
            {
                await using TieredSession session = store.StartSession();
                for (int i = 0; i < TestBudget.Times(Steps); i++)
                {
                    var written = new ArrayBufferWriter<byte>();
                    Assert.NotNull(await session.ReadAsync(i % Keys, written));
                    Check(i % Keys, written.WrittenSpan.ToArray());
                }
            }),
        ];
        Task all = Task.WhenAll(threads);
        while (!all.IsCompleted)
        {
            long begin = store.Hot.Log.BeginAddress;
            _ = await store.CompactHotAsync(Math.Min(begin + (32 * Page), store.Hot.Log.TailAddress));
            begin = store.Cold.Log.BeginAddress;
            _ = await store.CompactColdAsync(Math.Min(begin + (32 * Page), store.Cold.Log.HeadAddress));
        }

        await all;
        using TieredSession reader = store.StartSession();
        for (int key = 0; key < Keys; key++) Check(key, reader.GetBytes(key));
        AssertQuiet(store);
        Assert.True(store.Cold.Log.BeginAddress > PagedLog.FirstAddress, "Nothing was compacted.");
    }

    [Fact]
    public async Task Each_update_of_a_value_that_moves_counts_once()
    {
        const int Updates = 150, Threads = 3;
        await using TieredStore store = await OpenAsync(Small);
        Task all = Task.WhenAll(Enumerable.Range(0, Threads).Select(t => Guard.RunAsync(() =>
        {
            using TieredSession session = store.StartSession();
            for (int i = 0; i < Updates; i++) session.Count(i % 3);
        })));
        while (!all.IsCompleted)
        {
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
        }

        await all;
        using TieredSession reader = store.StartSession();
        long total = 0;
        for (int key = 0; key < 3; key++) total += BitConverter.ToInt64(reader.GetBytes(key));
        Assert.Equal(Updates * Threads, total);
        AssertQuiet(store);
    }

    [Fact]
    public async Task A_value_far_larger_than_memory_and_hot_log_moves_piece_by_piece_and_is_updated_there()
    {
        await using TieredStore store = await OpenAsync(Small with { PageSize = ByteSize.KiB(32) }, _folder.Path);
        using TieredSession session = store.StartSession();
        byte[] value = Value(24 << 20, 3);
        Assert.Equal(Status.Ok, await session.PutAsync(1, new ReadOnlySequence<byte>(value)));
        await store.Hot.PagedLog!.Gate.WaitForAsync(
            () => store.Hot.Log.TailAddress - store.Hot.Log.BeginAddress < 1 << 20, CancellationToken.None)
            .WaitAsync(TestBudget.StallTimeout);
        Assert.True(store.Cold.Log.TailAddress > value.Length, "It has not moved.");
        Assert.True(value.AsSpan().SequenceEqual(session.GetBytes(1)));
        _ = await store.CommitAsync();
        CompactionResult result = await store.CompactColdAsync(1 << 20); // its end begins there, its record does not
        Assert.InRange(result.BytesCopied, value.Length, value.Length + 1000);
        session.Append(1, [7]);
        Assert.True(((ReadOnlySpan<byte>)[.. value, 7]).SequenceEqual(session.GetBytes(1)));
        AssertQuiet(store);
    }

    [Fact]
    public async Task A_value_that_is_being_written_stays_in_the_hot_log_until_its_writer_stalls()
    {
        var clock = new ManualTime();
        await using TieredStore store = await OpenAsync(
            Small with { TimeProvider = clock, HotLogSize = ByteSize.MiB(64) });
        using TieredSession session = store.StartSession();
        for (int key = 10; key < 20; key++) session.PutBytes(key, Value(9_000, key));
        byte[] value = Value(200_000, 1);
        var write = new LargeWrite(new ReadOnlySequence<byte>(value));
        write.Write(store.Hot, new BytesKey(BitConverter.GetBytes(1)).Hash(store.Hot.Seed));
        long lowest = write.Head.Lowest;
        for (int key = 20; key < 30; key++) session.PutBytes(key, Value(9_000, key));
        for (int i = 0; i < 2; i++)
        {
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            Assert.Equal(lowest / Page * Page, store.Hot.Log.BeginAddress);
        }

        clock.Advance((long)FragmentWrites.StallTimeout.TotalMilliseconds + 1_000);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        Assert.True(store.Hot.Log.BeginAddress > lowest, $"{store.Hot.Log.BeginAddress} {lowest}");
        session.PutPrepared(1, write); // it is written again
        Assert.True(write.Head.Lowest >= store.Hot.Log.BeginAddress);
        Assert.Equal(value, session.GetBytes(1));
        for (int key = 10; key < 30; key++) Assert.Equal(Value(9_000, key), session.GetBytes(key));
        AssertQuiet(store);
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public async Task Commits_and_recoveries_beside_moves_have_the_prefix(CommitKind kind)
    {
        var model = new Dictionary<int, byte[]>();
        var random = new Random((int)kind + 1);
        TieredOptions options = Small with { CommitKind = kind, MemoryBudget = ByteSize.MiB(4) };
        for (int life = 0; life < 4; life++)
        {
            await using TieredStore store = await OpenAsync(options, _folder.Path);
            using TieredSession session = store.StartSession("one");
            for (int key = 0; key < Keys; key++) Assert.Equal(model.GetValueOrDefault(key), session.GetBytes(key));
            AssertSame(model, await LiveAsync(store));
            if (life != 0) AssertSame(model, await LiveAsync(store, store.Analytics.ScannableCommits[^1]));
            for (int commit = 0; commit < 3; commit++)
            {
                Task<CompactionResult> hot = store.CompactHotAsync(HalfOf(store.Hot.Log, random));
                Task<CompactionResult> cold = store.CompactColdAsync(HalfOf(store.Cold.Log, random));
                for (int i = 0; i < 40; i++) session.Change(model, Keys, random);
                Task<Commit> committed = store.CommitAsync(withIndex: commit == 1);
                _ = await hot;
                _ = await cold;
                _ = await committed;
            }

            Commit last = await store.CommitAsync();
            for (int i = 0; i < 40; i++) session.Change(new(model), Keys, random); // never committed
            AssertSame(model, await LiveAsync(store, last));
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            AssertSame(model, await LiveAsync(store, last));
            AssertQuiet(store);
        }
    }

    [Fact]
    public async Task Scans_and_exports_have_what_moves_as_a_whole()
    {
        await using TieredStore store = await OpenAsync(Small);
        using TieredSession session = store.StartSession();
        var model = new Dictionary<int, byte[]>();
        var random = new Random(5);
        for (int round = 0; round < 6; round++)
        {
            for (int i = 0; i < 120; i++) session.Change(model, Keys, random);
            long begin = store.Hot.Log.BeginAddress;
            _ = await store.CompactHotAsync(begin + random.NextInt64(store.Hot.Log.TailAddress - begin));
            if (round == 3) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            AssertSame(model, await LiveAsync(store));
        }

        var bytes = new MemoryStream();
        Assert.Equal(model.Count, await store.Analytics.ExportAsync(bytes));
        bytes.Position = 0;
        await using Faster.Engines.FasterStore other = await LargeStore.OpenAsync();
        Assert.Equal(model.Count, await other.Analytics.ImportAsync<BytesOperations.Upsert>(bytes));
        bytes = new MemoryStream();
        Assert.Equal(model.Count, await other.Analytics.ExportAsync(bytes));
        bytes.Position = 0;
        await using TieredStore back = await OpenAsync(Small);
        Assert.Equal(model.Count, await back.Analytics.ImportAsync<BytesOperations.Upsert>(bytes));
        AssertSame(model, await LiveAsync(back));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_scan_finds_a_value_whose_record_has_stayed_behind(bool isUnderWay)
    {
        await using TieredStore store = await OpenAsync(Small with { HotLogSize = ByteSize.MiB(64) });
        using TieredSession session = store.StartSession();
        var write = new LargeWrite(new ReadOnlySequence<byte>(Value(9_000, 1)));
        write.Write(store.Hot, new BytesKey(BitConverter.GetBytes(1)).Hash(store.Hot.Seed));
        session.PutBytes(1, [1, 2, 3]); // older, and above the value's beginning
        session.PutPrepared(1, write);
        session.PutBytes(2, Value(9_000, 2));
        var model = new Dictionary<int, byte[]> { [1] = Value(9_000, 1), [2] = Value(9_000, 2) };
        long until = store.Hot.PagedLog!.PageStartOf(write.Head.Lowest) + Page;
        if (!isUnderWay)
        {
            CompactionResult moved = await store.CompactHotAsync(until);
            Assert.Equal((1, until & ~(Page - 1L)), (moved.RecordsCopied, moved.BeginAddress));
            AssertSame(model, await LiveAsync(store));
            Assert.Equal(model[1], session.GetBytes(1));
            session.Append(1, [9]);
            model[1] = [.. model[1], 9];
            AssertSame(model, await LiveAsync(store));
            return;
        }

        var live = new Dictionary<int, byte[]>();
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(null, Pair))
        {
            live.Add(key, value);
            _ = await store.HotTruncation.CompactWithoutReleaseAsync(store.Hot.Log.TailAddress);
            await store.HotTruncation.ReleaseAsync();
            session.PutBytes(1, [4]);
        }

        AssertSame(model, live);
    }

    [Fact]
    public async Task Values_expire_wherever_they_are()
    {
        var time = new ManualTime();
        await using TieredStore store = await OpenAsync(Small with { TimeProvider = time });
        using TieredSession session = store.StartSession();
        var random = new Random(11);
        var model = new ExpiryModel(session, time);
        for (int step = 0; step < 2_000; step++)
        {
            int key = random.Next(12);
            byte[] bytes = Value((int)Math.Pow(20_000, random.NextDouble()), step);
            switch (random.Next(7))
            {
                case 0:
                    time.Advance(random.Next(30));
                    break;
                case 1:
                    model.SetLife(random.Next(3) == 0 ? 0 : random.Next(1, 200));
                    break;
                case 2 when (model.Live(key)?.Length ?? 0) < 60_000:
                    model.Append(key, bytes);
                    break;
                case 3:
                    model.Remove(key);
                    break;
                case 4:
                    long begin = store.Hot.Log.BeginAddress;
                    _ = await store.CompactHotAsync(begin + random.NextInt64(store.Hot.Log.TailAddress - begin));
                    if (step % 5 == 0) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
                    break;
                default:
                    model.Put(key, bytes);
                    break;
            }

            int other = random.Next(12);
            Assert.Equal(model.Live(other), session.GetBytes(other));
        }

        AssertQuiet(store);
    }

    [Fact]
    public async Task The_logs_stay_within_a_budget_under_churn_of_small_and_large_values()
    {
        const int Count = 200;
        const long Budget = 12 << 20;
        await using TieredStore store = await OpenAsync(
            Small with { DiskBudget = new ByteSize(Budget), SegmentSize = ByteSize.KiB(64) }, _folder.Path);
        using TieredSession session = store.StartSession();
        var random = new Random(1);
        var model = new Dictionary<int, byte[]>();
        long most = 0, written = 0;
        for (int i = 0; written < TestBudget.Times(40) << 20; i++)
        {
            int key = random.Next(Count), length = key % 5 == 0 ? random.Next(5_000, 60_000) : random.Next(600);
            session.PutBytes(key, model[key] = Value(length, i));
            written += length;
            if (i % 100 != 0) continue;
            most = Math.Max(most, new[] { "log.*", "cold.*", "chunks.*" }
                .Sum(files => GarbageStore.LogBytes(_folder.Path, files)));
            int other = model.Keys.ElementAt(random.Next(model.Count));
            Assert.Equal(model[other], session.GetBytes(other));
        }

        Assert.True(store.Statistics.ColdCompactions > 3, $"{store.Statistics.ColdCompactions} cold compactions.");
        Assert.True(most <= Budget + (Budget / 4), $"The logs took {most} bytes.");
        foreach ((int key, byte[] value) in model) Assert.Equal(value, session.GetBytes(key));
        AssertQuiet(store);
    }

    private ValueTask<TieredStore> OpenAsync(TieredOptions options, string? path = null) =>
        TieredStore.OpenAsync(path, options, BytesOperations.Schema, CancellationToken.None);

    private static long HalfOf(RecordAllocator log, Random random)
    {
        long end = log is PagedLog pages ? pages.HeadAddress : 0, begin = log.BeginAddress;
        return begin + random.NextInt64(Math.Max(end - begin, 1));
    }

    private static async Task<Dictionary<int, byte[]>> LiveAsync(TieredStore store, Commit? asOf = null)
    {
        var live = new Dictionary<int, byte[]>();
        var options = new ScanOptions { AsOf = asOf };
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(options, Pair)) live.Add(key, value);
        return live;
    }

    private static (int Key, byte[] Value) Pair(RecordView record) =>
        (BitConverter.ToInt32(record.Key), record.Value.ToArray());

    private static void AssertSame(Dictionary<int, byte[]> model, Dictionary<int, byte[]> live)
    {
        Assert.Equal(model.Keys.Order(), live.Keys.Order());
        foreach ((int key, byte[] value) in model) Assert.Equal(value, live[key]);
    }

    // Key and version tell every byte, and the length.
    private static byte[] Telling(int key, int version)
    {
        byte[] value = Value(8 + (key * 7919 % 40_000 / (1 + (version % 5))), (key * 1_000_003) + version);
        BitConverter.TryWriteBytes(value, key);
        BitConverter.TryWriteBytes(value.AsSpan(4), version);
        return value;
    }

    private static void Check(int key, byte[]? value)
    {
        Assert.NotNull(value);
        Assert.Equal(key, BitConverter.ToInt32(value));
        Assert.Equal(Telling(key, BitConverter.ToInt32(value, 4)), value);
    }

    // The store's own compaction of the hot log may be under way.
    private static void AssertQuiet(TieredStore store)
    {
        Assert.Null(store.Core.Faults.Last);
        foreach (PagedLog log in (PagedLog[])[store.Hot.PagedLog!, store.Cold.PagedLog!])
        {
            bool isQuiet = SpinWait.SpinUntil(
                () => log.Pins.LowestPinned == long.MaxValue && log.Writes.Count == 0, TestBudget.StallTimeout);
            Assert.True(isQuiet, $"{log.Pins.LowestPinned} is pinned, {log.Writes.Count} values are being written.");
        }
    }
}
