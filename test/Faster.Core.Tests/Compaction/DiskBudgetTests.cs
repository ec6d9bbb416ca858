using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Opening;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Opening;
using Faster.Tests.Operations.Large;
using Faster.Tests.Operations.Merging;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Compaction;

/// <summary>Background compaction keeps the log within its budget, and knows when that can't be.</summary>
public sealed class DiskBudgetTests : IDisposable
{
    private const long Budget = 2 << 20, Slack = Budget / 4;
    private const long Keys = 120_000; // 2.9 MB: more than the budget

    // So much is written that space must have been reclaimed again and again.
    private static readonly long Enough = (long)(2 * Budget * TestBudget.Factor);

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 0)]
    [InlineData(true, 0.75)]
    public async Task The_log_stays_within_its_budget_under_churn(bool onFiles, double cache)
    {
        const long Few = 20_000;
        StoreOptions options = GarbageStore.Small with
        {
            SegmentSize = ByteSize.GiB(1), DiskBudget = new ByteSize(Budget), ReadCacheFraction = cache,
        };
        await using FasterStore store = await GarbageStore.OpenAsync(onFiles ? _folder.Path : null, options);
        using FasterSession session = store.StartSession();
        var random = new Random(1);
        HashSet<long> written = [];
        long most = 0;
        for (int i = 0; i % 1000 != 0 || store.Statistics.BytesWritten <= Enough; i++)
        {
            long key = random.Next((int)Few);
            session.Put(key, key * 3);
            written.Add(key);
            if (i % 1000 != 0) continue;
            most = Math.Max(most, onFiles ? GarbageStore.LogBytes(_folder.Path) : store.Statistics.DiskBytes);
        }

        StoreStatistics now = store.Statistics;
        Assert.True(now.LastFault is null, now.LastFault?.ToString());
        Assert.False(now.DiskBudgetExceeded);
        Assert.True(most <= Budget + Slack, $"The log took {most} bytes; {now.RecordsCopied} records were copied.");
        Assert.True(now.Compactions > 1);
        for (long key = 0; key < Few; key += 7) Assert.Equal(written.Contains(key) ? key * 3 : null, session.Get(key));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_log_of_merged_counters_stays_within_its_budget_and_the_sums_are_exact(bool onFiles)
    {
        const int Keys = 20_000;
        StoreOptions options = GarbageStore.Small with
        {
            SegmentSize = ByteSize.GiB(1), DiskBudget = new ByteSize(Budget), ReadCacheFraction = 0,
        };
        await using FasterStore store = await FasterStore.OpenAsync(
            onFiles ? _folder.Path : null, options, MergingOperations.Schema, default);
        using FasterSession session = store.StartSession();
        var random = new Random(2);
        long[] sums = new long[Keys];
        long most = 0;
        long Bytes() => onFiles ? GarbageStore.LogBytes(_folder.Path) : store.Statistics.DiskBytes;
        StopThrottle(store);
        for (int i = 0; i % 1000 != 0 || store.Statistics.BytesWritten <= Enough; i++)
        {
            int key = random.Next(Keys);
            _ = session.Merge(key, i);
            sums[key] += i;
            if (i % 1000 != 0) continue;
            most = Math.Max(most, Bytes());
        }

        StoreStatistics now = store.Statistics;
        Assert.True(now.LastFault is null, now.LastFault?.ToString());
        Assert.False(now.DiskBudgetExceeded);
        Assert.True(most <= Budget + Slack, $"It took {most} bytes; {now.RecordsCopied} were copied.");
        Assert.True(
            SpinWait.SpinUntil(() => Bytes() <= Budget, TimeSpan.FromSeconds(30)), $"{Bytes()} bytes are left.");
        Assert.True(now.DeltasCollapsed > 1000 && now.Compactions > 1, now.ToString());
        foreach ((long key, long? value) in session.Totals(Enumerable.Range(0, Keys).Select(static key => (long)key)))
            Assert.Equal(sums[key] == 0 ? null : sums[key], value);
    }

    [Fact]
    public async Task A_budget_smaller_than_the_live_data_is_reported_and_nothing_is_lost()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { DiskBudget = new ByteSize(Budget) });
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        AssertReported(store);
        session.AssertFilled(0, Keys, step: 61);

        // It does not overload the machine: what is copied is bounded by what is written.
        long copied = store.Statistics.RecordsCopied;
        session.Fill(0, 1000);
        session.AssertFilled(0, Keys, step: 61);
        Assert.InRange(store.Statistics.RecordsCopied - copied, 0, Keys);

        // Space is found again when there are dead records.
        for (long key = 0; key < Keys; key++) if (key % 20 != 0) _ = session.Remove(key);
        bool Fits() => !store.Statistics.DiskBudgetExceeded;
        for (int round = 0; round < 300 && !Fits(); round++)
        {
            for (int i = 0; i < 2000; i++) session.Put(1_000_000 + (((round * 2000) + i) % 20_000), i);
            _ = SpinWait.SpinUntil(Fits, TimeSpan.FromMilliseconds(100));
        }

        Assert.False(store.Statistics.DiskBudgetExceeded);
        for (long key = 20; key < Keys; key += 220) Assert.Equal(key * 3, session.Get(key));
    }

    [Fact]
    public async Task It_is_reported_in_a_folder_too_and_nothing_is_lost_by_closing()
    {
        StoreOptions options = GarbageStore.Small with { DiskBudget = new ByteSize(Budget) };
        await using (FasterStore store = await GarbageStore.OpenAsync(_folder.Path, options))
        {
            using FasterSession session = store.StartSession();
            session.Fill(0, Keys);
            AssertReported(store);
            session.AssertFilled(0, Keys, step: 61);
            _ = await store.CommitAsync();
        }

        await using FasterStore again = await GarbageStore.OpenAsync(_folder.Path, options);
        using FasterSession reader = again.StartSession();
        reader.AssertFilled(0, Keys, step: 61);
    }

    [Fact]
    public async Task The_budget_holds_again_when_another_part_releases_space()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { DiskBudget = new ByteSize(Budget) });
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        AssertReported(store);
        await store.TruncateAsync(store.Log.TailAddress);
        Assert.True(SpinWait.SpinUntil(() => !store.Statistics.DiskBudgetExceeded, TimeSpan.FromSeconds(30)));

        long most = 0;
        for (int i = 0; i < 200_000; i++)
        {
            session.Put(i % 20_000, i);
            if (i % 1000 == 0) most = Math.Max(most, store.Statistics.DiskBytes);
        }

        Assert.InRange(most, Budget / 2, Budget + Slack);
        Assert.False(store.Statistics.DiskBudgetExceeded);
    }

    /// <remarks>
    /// A delayed awaited update waits as a pending operation, which a commit waits for; and the space comes with the
    /// commits after each step. A limited delay would end that after a while: here it never ends.
    /// </remarks>
    [Fact]
    public Task Commits_do_not_wait_for_awaited_updates_that_are_held_back() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenInFolderAsync();
        await using FasterSession session = store.StartSession();
        for (int i = 0; store.Statistics.Compactions < 20; i++) _ = await session.PutAsync(i % 20_000, i);
        Assert.False(store.Statistics.DiskBudgetExceeded);
    });

    /// <remarks>The same of a batch under one number, for which a commit waits before it begins.</remarks>
    [Fact]
    public Task Commits_do_not_wait_for_batches_that_are_held_back() => Guard.RunAsync(async () =>
    {
        const int Size = 500;
        await using FasterStore store = await OpenInFolderAsync();
        await using FasterSession session = store.StartSession();
        var batch = new PutBatch(Size);
        for (int i = 1; store.Statistics.Compactions < 20; i++)
        {
            batch.First = i * Size % 20_000;
            session.UpsertBatch<UnmanagedKey<long>, Upsert, PutBatch>(ref batch, i);
        }

        Assert.False(store.Statistics.DiskBudgetExceeded);
    });

    [Fact]
    public void A_budget_too_small_for_its_pages_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(
            () => MemoryPlan.For(new StoreOptions { DiskBudget = new ByteSize(1) }));
        Assert.Throws<ArgumentOutOfRangeException>(() => MemoryPlan.For(
            new StoreOptions { DiskBudget = ByteSize.MiB(8), PageSize = ByteSize.MiB(1) }));
        Assert.True(MemoryPlan.For(new StoreOptions { DiskBudget = ByteSize.MiB(8) }).PageBits <= 17);
    }

    private async Task<FasterStore> OpenInFolderAsync()
    {
        StoreOptions options = GarbageStore.Small with
        {
            PageSize = ByteSize.KiB(64), DiskBudget = ByteSize.MiB(4), ExpectedKeys = 0,
        };
        FasterStore store = await GarbageStore.OpenAsync(_folder.Path, options);
        StopThrottle(store);
        return store;
    }

    // A delayed writer continues when there is space again, not after a fixed time.
    private static void StopThrottle(FasterStore store) => ((PagedLog)store.Log).Throttle!.Time = new ManualTime();

    private static void AssertReported(FasterStore store)
    {
        Assert.True(
            SpinWait.SpinUntil(() => store.Statistics.DiskBudgetExceeded, TimeSpan.FromSeconds(30)),
            "It was not reported.");
        var reported = Assert.IsType<LimitExceededException>(store.Statistics.LastFault);
        string option = $"StoreOptions.DiskBudget of {new ByteSize(Budget)}";
        Assert.Contains(option, reported.Message, StringComparison.Ordinal);
    }

    private struct PutBatch(int size) : IBatch<UnmanagedKey<long>, Upsert>
    {
        public long First { get; set; }

        public readonly int Count => size;

        public readonly UnmanagedKey<long> GetKey(int index) => Key(First + index);

        public readonly Upsert GetOperation(int index) => new(index);

        public readonly void SetResult(int index, Status status, ref Upsert operation) { }
    }
}
