using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Analytics.Scans;

/// <summary>
/// Scans and backups of a store that compacts itself, by slow consumers: each is whole, no writer waits for it, and the
/// files take the budget and what the log has grown by meanwhile.
/// </summary>
/// <remarks>
/// The first keys stay as they are, so that compaction has something to copy. The others are updated by turns: key
/// Staying + i % Changing has the value i. They are more than is updated in place.
/// </remarks>
public sealed class ScanBudgetTests : IDisposable
{
    private const long Budget = 2 << 20, Slack = Budget / 4, Staying = 5_000, Changing = 15_000;
    private const int PageSize = 4 << 10, OnDevice = 8 << 10; // a page, and what it takes on the device

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    // A consumer that pauses stands still until all that the log had then has been truncated.
    [Theory]
    [InlineData(false, 0)]
    [InlineData(false, 3)]
    [InlineData(true, 0)]
    [InlineData(true, 1)]
    [InlineData(true, 3)]
    public Task Scans_beside_compaction_are_whole_however_slow_their_consumer_is(bool onFiles, int pauses) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await OpenAsync(onFiles);
            await using var writer = new Writer(store);
            for (int round = 0; round < TestBudget.Times(3); round++)
            {
                await WaitAsync(store, () => store.Statistics.DiskBytes <= Budget + Slack); // after the last scan
                long least = writer.Written, tail = store.Log.TailAddress, most = 0, count = 0, overrun = 0;
                int left = pauses;
                await foreach ((long key, long? value) in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
                {
                    if (count == 0) most = writer.Issued;
                    AssertValue(key, value!.Value, least, most);
                    if (count++ % ((Staying + Changing) / 10) != 0) continue;
                    if (left-- > 0) await CompactedAsync(store);
                    overrun = Math.Max(overrun, store.Statistics.DiskBytes - GrownBy(store, tail));
                }

                Assert.Equal(Staying + Changing, count);
                Assert.True(overrun <= Budget + Slack, $"The files took {overrun} bytes beside what was written.");
            }

            await AssertWithinAsync(store);
        });

    [Theory]
    [InlineData(CommitKind.FoldOver, 0)]
    [InlineData(CommitKind.FoldOver, 2)]
    [InlineData(CommitKind.Incremental, 2)]
    public Task Backups_beside_compaction_have_the_state_of_their_commit(CommitKind kind, int pauses) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await OpenAsync(onFiles: true, kind);
            await using var writer = new Writer(store);
            for (int done = 0; done < TestBudget.Times(2);)
            {
                Commit commit = await store.CommitAsync(kind);
                long point = commit.Points.First(static at => at.SessionName == Writer.Name).SerialNumber;
                using var copied = new PausingStream(store, pauses);
                try
                {
                    _ = await store.Analytics.ExportAsync(copied, new ScanOptions { AsOf = commit });
                }
                catch (FasterException e) when (e.Reason == ErrorReason.CommitUnavailable && !copied.HasBegun)
                {
                    continue; // compaction had committed twice before the backup began
                }

                copied.Position = 0;
                await using FasterStore copy = await AnalyticsStores.InMemoryAsync();
                Assert.Equal(
                    Staying + Changing, await copy.Analytics.ImportAsync<CounterOperations.Upsert>(copied));
                foreach ((long key, long? value) in await copy.LiveAsync())
                    AssertValue(key, value!.Value, point, point);
                done++;
            }

            await AssertWithinAsync(store);
        });

    // So what the files take is bounded by the oldest scan under way, not by the first one of a chain of scans.
    [Fact]
    public Task Scans_that_overlap_all_the_time_hold_what_was_written_since_the_oldest_began() =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await OpenAsync(onFiles: true);
            await using var writer = new Writer(store);
            (IAsyncEnumerator<(long, long?)> scan, long tail) = await BeginAsync();
            for (int round = 0; round < TestBudget.Times(8); round++)
            {
                (IAsyncEnumerator<(long, long?)> next, long nextTail) = await BeginAsync();
                await CompactedAsync(store);
                Assert.InRange(store.Statistics.DiskBytes, 0, Budget + Slack + GrownBy(store, tail));
                await scan.DisposeAsync();
                Assert.True(store.Tier.PagedLog!.Pins.LowestPinned < store.Log.BeginAddress, "the next one holds some");
                (scan, tail) = (next, nextTail);
                await WaitAsync(store, () => store.Statistics.DiskBytes <= Budget + Slack + GrownBy(store, tail));
            }

            await scan.DisposeAsync();
            await AssertWithinAsync(store);

            async Task<(IAsyncEnumerator<(long, long?)> Scan, long Tail)> BeginAsync()
            {
                long before = store.Log.TailAddress;
                var begun = store.Analytics.ScanAsync(null, AnalyticsStores.Pair).GetAsyncEnumerator();
                Assert.True(await begun.MoveNextAsync());
                return (begun, before);
            }
        });

    // An update that waited for space that the scan holds would wait for good.
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public Task A_consumer_may_update_the_store_that_it_scans(bool onFiles, bool blocks) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(onFiles);
        using FasterSession session = store.StartSession();
        session.Fill(0, Staying);
        int count = 0, updates = 0;
        if (blocks)
        {
            using var scan = store.ScanLog();
            for (; scan.MoveNext(); count++) Update();
        }
        else
        {
            await foreach (var record in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
            {
                Update();
                if (count++ == Staying / 2) _ = await store.CompactAsync(store.Log.HeadAddress); // or waits for that
            }
        }

        Assert.Equal(Staying, count);
        Assert.True(store.Statistics.Compactions > 3, $"{store.Statistics.Compactions} compactions");
        session.AssertFilled(0, Staying, step: 7);
        await AssertWithinAsync(store);

        void Update()
        {
            for (int i = 0; i < 100; i++, updates++) session.Put(Staying + (updates % Changing), updates);
        }
    });

    [Fact]
    public Task A_scan_that_is_left_open_is_reported_and_holds_no_writer_up() => Guard.RunAsync(async () =>
    {
        var clock = new ManualTime();
        await using FasterStore store = await OpenAsync(onFiles: true, time: clock);
        using FasterSession session = store.StartSession();
        session.Fill(0, Staying);
        IAsyncEnumerator<(long, long?)> scan =
            store.Analytics.ScanAsync(null, AnalyticsStores.Pair).GetAsyncEnumerator();
        Assert.True(await scan.MoveNextAsync());
        for (int i = 0; i % 1000 != 0 || Bytes(store) < 3 * Budget; i++) session.Put(Staying + (i % Changing), i);
        Assert.True(store.Statistics.DiskBudgetExceeded);
        while (store.Statistics.LastFault is null)
        {
            if (clock.Waiting > 0) clock.Advance(10_000);
            await Task.Yield();
        }

        var reported = Assert.IsType<LimitExceededException>(store.Statistics.LastFault);
        Assert.Contains("the store has been scanned", reported.Message, StringComparison.Ordinal);
        await scan.DisposeAsync();
        await WaitAsync(store, () => !store.Statistics.DiskBudgetExceeded && Bytes(store) <= Budget + Slack);
        Assert.Single(store.Statistics.FaultCounts);
        Assert.Equal(1, store.Statistics.FaultCounts.Values.Sum());
    });

    // Without a budget: a store whose records expire compacts itself, too. Half of its bytes must expire for that.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Records_that_expire_while_they_are_scanned_are_returned_and_released_then(bool onFiles) =>
        Guard.RunAsync(async () =>
        {
            const long Keys = 60_000;
            var clock = new ManualTime();
            await using FasterStore store = await GarbageStore.OpenAsync(
                onFiles ? _folder.Path : null,
                GarbageStore.Small with { TimeProvider = clock, TimeToLive = TimeSpan.FromSeconds(10) });
            using FasterSession session = store.StartSession();
            session.Fill(0, Keys);
            long full = store.Statistics.DiskBytes, tail = store.Log.TailAddress;
            int count = 0;
            await foreach ((long key, long? value) in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
            {
                Assert.Equal(key * 3, value);
                if (++count == Keys) Assert.True(store.Statistics.DiskBytes >= full, "What is scanned was released.");
                if (count != 1) continue;
                clock.Advance(11_000);
                while (store.Log.BeginAddress < tail / 2) await clock.PassAsync(1_000);
            }

            Assert.Equal(Keys, count); // as they were when it began
            while (store.Statistics.DiskBytes > full / 2) await clock.PassAsync(1_000);
            Assert.Empty(await store.LiveAsync());
            Assert.Null(store.Statistics.LastFault);
        });

    private static void AssertValue(long key, long value, long least, long most)
    {
        if (key < Staying)
        {
            Assert.Equal(key * 3, value);
            return;
        }

        // It had the last value of its turn up to some moment between.
        Assert.Equal(key - Staying, value % Changing);
        Assert.InRange(value, least - Changing + 1, most);
    }

    private static Task CompactedAsync(FasterStore store)
    {
        long tail = store.Log.TailAddress;
        return WaitAsync(store, () => store.Log.BeginAddress >= tail);
    }

    private static async Task WaitAsync(FasterStore store, Func<bool> condition)
    {
        while (!condition())
        {
            Assert.True(store.Statistics.LastFault is null or LimitExceededException, $"{store.Statistics.LastFault}");
            await Task.Yield();
        }
    }

    private static long GrownBy(FasterStore store, long tail) =>
        (store.Log.TailAddress - tail + PageSize) / PageSize * OnDevice;

    private async Task AssertWithinAsync(FasterStore store)
    {
        Assert.Equal(long.MaxValue, store.Tier.PagedLog!.Pins.LowestPinned);
        await WaitAsync(store, () => Bytes(store) <= Budget + Slack);
        Assert.False(store.Statistics.DiskBudgetExceeded);
        Assert.True(store.Statistics.LastFault is null, store.Statistics.LastFault?.ToString());
    }

    // Not beside releases: the files that are listed are not those of one moment.
    private long Bytes(FasterStore store) =>
        Directory.Exists(_folder.Path) ? GarbageStore.LogBytes(_folder.Path) : store.Statistics.DiskBytes;

    // A writer that is delayed goes on when there is space, not after a time.
    private async Task<FasterStore> OpenAsync(
        bool onFiles, CommitKind kind = CommitKind.FoldOver, TimeProvider? time = null)
    {
        FasterStore store = await GarbageStore.OpenAsync(
            onFiles ? _folder.Path : null,
            GarbageStore.Small with
            {
                DiskBudget = new ByteSize(Budget), CommitKind = kind, TimeProvider = time ?? TimeProvider.System,
            });
        ((PagedLog)store.Log).Throttle!.Time = new ManualTime();
        return store;
    }

    /// <summary>Fills the store, and updates it until it is disposed of.</summary>
    private sealed class Writer : IAsyncDisposable
    {
        public const string Name = "writer";

        private readonly Task _task;
        private long _issued, _written;
        private volatile bool _ends;

        public Writer(FasterStore store)
        {
            using (FasterSession filler = store.StartSession()) filler.Fill(0, Staying);
            var begun = new TaskCompletionSource();
            _task = Guard.RunAsync(() =>
            {
                using FasterSession session = store.StartSession(Name);
                for (long i = 1; !_ends; i++) // i is the serial number, too
                {
                    Volatile.Write(ref _issued, i);
                    session.Put(Staying + (i % Changing), i);
                    Volatile.Write(ref _written, i);
                    if (i == 2 * Changing) begun.SetResult();
                }
            });
            begun.Task.Wait();
        }

        public long Issued => Volatile.Read(ref _issued);

        public long Written => Volatile.Read(ref _written);

        public async ValueTask DisposeAsync()
        {
            _ends = true;
            await _task;
        }
    }

    /// <summary>Takes a backup, and pauses at some of its writes.</summary>
    private sealed class PausingStream(FasterStore store, int pauses) : MemoryStream
    {
        private int _left = pauses;

        public bool HasBegun => Length > 0;

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
        {
            await base.WriteAsync(buffer, cancellationToken);
            if (_left-- > 0) await CompactedAsync(store);
        }
    }
}
