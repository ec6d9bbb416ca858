using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Tests.Analytics;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Histories of keys in tiered stores, compared with a model, while records move and both logs are truncated. Values of
/// a key rise, so a history that has a record twice, or an older one first, shows.
/// </summary>
public sealed class TieredHistoryTests : IDisposable
{
    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = ByteSize.KiB(4), ReadCacheFraction = 0,
        HotLogSize = ByteSize.MiB(64), ExpectedColdKeys = 1_000, ExpectedHotKeys = 1_000, CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 0.5)]
    [InlineData(7, 0)]
    [InlineData(8, 0.5)]
    public Task It_has_all_of_the_hot_log_and_then_what_has_moved(int seed, double cache) => Guard.RunAsync(async () =>
    {
        const int Keys = 12;
        await using TieredStore store = await OpenAsync(Small with { ReadCacheFraction = cache });
        using TieredSession session = store.StartSession();
        var random = new Random(seed);
        Model[] models = [.. Enumerable.Range(0, Keys).Select(static _ => new Model())];
        for (int step = 1; step <= 400; step++)
        {
            int key = random.Next(Keys);
            Model changed = models[key];
            bool removes = random.Next(5) == 0 && changed.Hot is [(Value: not null, _), ..]; // leaves a tombstone
            if (removes) _ = session.Remove(key);
            else session.Put(key, step);
            for (int filler = 0; filler < 20; filler++) session.Put(1_000 + (step % 40 * 20) + filler, step);
            _ = await store.Analytics.Hot.ShiftReadOnlyAsync(); // each change is a record of its own
            (long? Value, long Address) newest = (await HistoryAsync(store, key))[0];
            Assert.Equal(removes ? null : step, newest.Value);
            changed.Hot.Insert(0, newest);
            if (step % 20 == 0)
            {
                long begin = store.Hot.Log.BeginAddress;
                _ = await store.CompactHotAsync(begin + random.NextInt64(store.Hot.Log.TailAddress - begin));
                foreach (Model model in models) model.Move(store.Hot.Log.BeginAddress);
            }

            if (step % 50 == 0)
            {
                long begin = store.Cold.Log.BeginAddress;
                _ = await store.CompactColdAsync(begin + random.NextInt64(store.Cold.Log.TailAddress - begin));
                foreach (Model model in models) model.IsCompacted = true;
            }

            if (step % 10 != 0) continue;
            for (int other = 0; other < Keys; other++) models[other].Check(await HistoryAsync(store, other));
        }

        Assert.True(store.Cold.Log.BeginAddress > 4096, "The cold log was not compacted.");
        AssertQuiet(store);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Beside_writers_and_both_compactions_it_is_newest_first_and_has_nothing_twice(bool isLarge) =>
        Guard.RunAsync(async () =>
        {
            const int Keys = 5;
            using var pace = new Pace(isLarge ? 10 : 500);
            TieredOptions options = Small with { HotLogSize = ByteSize.KiB(64), MutableFraction = 0.1 };
            await using TieredStore store = isLarge
                ? await OpenLargeAsync(options, _folder.Path)
                : await OpenAsync(options, _folder.Path);
            long[] acknowledged = new long[Keys];
            Task writer = Guard.RunAsync(() =>
            {
                using TieredSession session = store.StartSession();
                for (long i = 1; pace.Allows(i); i++)
                {
                    int key = (int)(i % Keys);
                    if (isLarge) session.PutBytes(key, Telling(i));
                    else session.Put(key, i);
                    if (isLarge) session.PutBytes(100 + ((int)i % 50), new byte[100]);
                    else session.Put(1_000 + (i % 2_000), i); // the log moves on
                    Volatile.Write(ref acknowledged[key], i);
                }
            });
            Task moves = Task.Run(async () =>
            {
                for (int i = 0; !writer.IsCompleted; i++)
                {
                    await CompactAsync(store);
                    if (i % 4 == 0) _ = await store.CommitAsync();
                }
            });
            int longest = 0;
            for (int i = 0; i < TestBudget.Times(300); i++)
            {
                pace.GoOn();
                long least = Volatile.Read(ref acknowledged[i % Keys]);
                List<long?> history = isLarge
                    ? await LargeHistoryAsync(store, i % Keys)
                    : await ValuesAsync(store, i % Keys);
                AssertFalls(history);
                Assert.True((history.Count == 0 ? 0 : history[0]) >= least, $"{least} is missing: {Text(history)}");
                longest = Math.Max(longest, history.Count);
                if (i % 4 == 0) _ = await store.Analytics.Hot.ShiftReadOnlyAsync(); // so that records are copied
            }

            pace.Dispose();
            await writer;
            await moves;
            Assert.True(longest > 1, "No history has more than one record.");
            AssertQuiet(store);
        });

    [Fact]
    public Task Over_recoveries_from_commits_amid_moves_it_has_nothing_twice() => Guard.RunAsync(async () =>
    {
        long last = 0;
        for (int life = 0; life < 4; life++)
        {
            await using TieredStore store = await OpenAsync(path: _folder.Path);
            using TieredSession session = store.StartSession();
            for (int key = 0; key < 20; key++)
            {
                List<long?> recovered = await ValuesAsync(store, key);
                Assert.Equal(last, recovered.FirstOrDefault() ?? 0);
                AssertFalls(recovered);
            }

            for (int round = 0; round < 3; round++)
            {
                last++;
                for (long key = 0; key < 20; key++) session.Put(key, last);
                for (long other = 100; other < 1_500; other++) session.Put(other, last);
                _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
            }

            Task moves = store.CompactHotAsync(store.Hot.Log.TailAddress); // can't truncate until the commit ends
            _ = await store.CommitAsync();
            session.Put(7, -1); // is lost
            await moves;
            AssertQuiet(store);
        }
    });

    [Fact]
    public Task It_stays_whole_while_all_that_it_reads_is_truncated() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync();
        using TieredSession session = store.StartSession();
        for (long value = 1; value <= 6; value++)
        {
            session.Put(7, value);
            _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
            if (value is not (1 or 2)) continue;
            for (long other = 100; other < 700; other++) session.Put(other, value);
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        }

        var values = new List<long?>();
        await foreach (RecordVersion<(long, long? Value)> past in store.Analytics.HistoryAsync(
            Key(7), AnalyticsStores.Pair))
        {
            values.Add(past.Record.Value);
            session.Put(7, 100 + values.Count);
            for (long other = 100; other < 900; other++) session.Put(other, 0);
            _ = await store.HotTruncation.CompactWithoutReleaseAsync(store.Hot.Log.TailAddress);
            await store.HotTruncation.ReleaseAsync();
            _ = await store.ColdTruncation.CompactWithoutReleaseAsync(store.Cold.Log.TailAddress);
            await store.ColdTruncation.ReleaseAsync();
        }

        Assert.Equal([6, 5, 4, 3, 2, 1], values);
        Assert.Equal(long.MaxValue, store.Hot.PagedLog!.Pins.LowestPinned);
        Assert.Equal(long.MaxValue, store.Cold.PagedLog!.Pins.LowestPinned);
        AssertQuiet(store);
    });

    [Fact]
    public Task An_expired_record_is_a_tombstone_in_either_log() => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using TieredStore store = await OpenAsync(Small with { TimeProvider = time });
        using TieredSession session = store.StartSession();
        session.Put(7, 1);
        for (long other = 100; other < 700; other++) session.Put(other, 0);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        session.TimeToLive = TimeSpan.FromSeconds(10);
        session.Put(7, 2);
        for (long other = 100; other < 700; other++) session.Put(other, 0);
        Assert.Equal([2, 1], await ValuesAsync(store, 7));
        time.Advance(11_000);
        Assert.Equal([null, 1], await ValuesAsync(store, 7));
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        Assert.Equal([null, 1], await ValuesAsync(store, 7));
    });

    [Fact]
    public Task A_closed_store_ends_it() => Guard.RunAsync(async () =>
    {
        TieredStore store = await OpenAsync();
        using (TieredSession session = store.StartSession()) session.Put(7, 1);
        IAsyncEnumerable<RecordVersion<(long, long?)>> history = store.Analytics.HistoryAsync(
            Key(7), AnalyticsStores.Pair);
        await store.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            await foreach (RecordVersion<(long, long?)> _ in history) { }
        });
    });

    private static ValueTask<TieredStore> OpenAsync(TieredOptions? options = null, string? path = null) =>
        TieredStore.OpenAsync(path, options ?? Small, Schema, CancellationToken.None);

    private static ValueTask<TieredStore> OpenLargeAsync(TieredOptions options, string path) =>
        TieredStore.OpenAsync(path, options, BytesOperations.Schema, CancellationToken.None);

    private static async Task CompactAsync(TieredStore store)
    {
        _ = await store.CompactHotAsync((store.Hot.Log.BeginAddress + store.Hot.Log.TailAddress) / 2);
        _ = await store.CompactColdAsync((store.Cold.Log.BeginAddress + store.Cold.Log.TailAddress) / 2);
    }

    private static async Task<List<(long? Value, long Address)>> HistoryAsync(TieredStore store, long key)
    {
        var history = new List<(long?, long)>();
        await foreach (RecordVersion<(long Key, long? Value)> past in store.Analytics.HistoryAsync(
            Key(key), AnalyticsStores.Pair))
        {
            Assert.Equal(key, past.Record.Key);
            history.Add((past.Record.Value, past.Address));
        }

        return history;
    }

    private static async Task<List<long?>> ValuesAsync(TieredStore store, long key) =>
        [.. (await HistoryAsync(store, key)).Select(static past => past.Value)];

    // Values of about three pages, which must be whole.
    private static async Task<List<long?>> LargeHistoryAsync(TieredStore store, int key)
    {
        var values = new List<long?>();
        await foreach (RecordVersion<RawRecord> past in store.Analytics.HistoryAsync(
            new BytesKey(BitConverter.GetBytes(key)), RawRecord.Copy))
        {
            byte[] value = past.Record.Value!;
            values.Add(BitConverter.ToInt64(value));
            Assert.Equal(Telling(values[^1]!.Value), value);
        }

        return values;
    }

    private static byte[] Telling(long number)
    {
        byte[] value = new byte[8 * (1_000 + (number % 700))];
        for (int at = 0; at < value.Length; at += 8) BitConverter.TryWriteBytes(value.AsSpan(at), number);
        return value;
    }

    private static void AssertFalls(List<long?> history)
    {
        for (int i = 1; i < history.Count; i++)
            Assert.True(history[i - 1] > history[i], $"Not newest first, or twice: {Text(history)}");
    }

    private static string Text(List<long?> history) => string.Join(", ", history);

    private static void AssertQuiet(TieredStore store) => Assert.Null(store.Core.Faults.Last);

    // The records that a key should have in both logs, newest first.
    private sealed class Model
    {
        private readonly List<long?> _cold = [];

        public List<(long? Value, long Address)> Hot { get; } = [];

        public bool IsCompacted { get; set; } // some older records of the cold log are gone

        public void Move(long begin)
        {
            // Of records next to each other in the cold log that have one content, histories have one.
            if (Hot is [(var newest, var address), ..] && address < begin
                && (newest is not null || _cold is [not null, ..])) _cold.Insert(0, newest);
            Hot.RemoveAll(record => record.Address < begin);
        }

        public void Check(List<(long? Value, long Address)> history)
        {
            Assert.Equal(Hot, history.Take(Hot.Count));
            List<long?> cold = [.. history.Skip(Hot.Count).Select(static past => past.Value)];
            // A tombstone with nothing below moves if its chunk is on disk, which is not read to find that out.
            while (cold is [.., null]) cold.RemoveAt(cold.Count - 1);
            if (!IsCompacted) Assert.Equal(_cold, cold);
            bool mayBeDropped = Hot.Count != 0 && IsCompacted; // for what is newer above
            if (cold.Count == 0) Assert.True(mayBeDropped || _cold is [] or [null, ..], "What has moved is missing.");
            else Assert.Equal(_cold[0], cold[0]);
            Assert.Equal(cold, _cold.Where(cold.Contains).Take(cold.Count));
        }
    }
}
