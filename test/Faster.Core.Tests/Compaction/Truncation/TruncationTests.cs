using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Engines;
using Faster.Stores;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;

namespace Faster.Tests.Compaction.Truncation;

/// <summary>The oldest part of the log truncated by address and by age.</summary>
public sealed class TruncationTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true, 0)]
    [InlineData(true, 0.75)]
    [InlineData(false, 0)]
    public async Task Records_below_are_gone_and_the_others_are_there(bool inMemory, double cache)
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            inMemory ? null : _folder.Path, GarbageStore.Small with { ReadCacheFraction = cache });
        using FasterSession session = store.StartSession();
        session.Fill(0, 20_000);
        long middle = store.Statistics.TailAddress;
        session.Fill(20_000, 40_000);
        for (long key = 0; key < 3000; key++) _ = session.Get(key); // some are copied to the cache
        await store.TruncateAsync(middle);

        StoreStatistics now = store.Statistics;
        Assert.InRange(now.BeginAddress, middle - 4096, middle);
        for (long key = 0; key < 20_000 - 200; key++) Assert.Null(session.Get(key));
        session.AssertFilled(20_000, 40_000);
        _ = session.Remove(7); // blind, where its chain goes on with other keys
        Assert.Null(session.Get(7));
        session.AddTo(8, 5);
        Assert.Equal(5, session.Get(8));
        session.Put(9, 1);
        Assert.Equal(1, session.Get(9));
        Assert.True(now.BytesReclaimed > 20_000 * 20);
        Assert.Null(now.LastFault);
    }

    [Fact]
    public async Task A_truncation_by_age_knows_the_age_of_what_it_has_made_immutable()
    {
        var clock = new ManualTime(); // stands still
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { TimeProvider = clock });
        store.Tier.PagedLog!.BecameSafe = static _ => { }; // the thread that notes ages is slow
        using FasterSession session = store.StartSession();
        session.Fill(0, 1_000);
        long tail = store.Statistics.TailAddress;
        long begin = await store.TruncateOlderThanAsync(TimeSpan.Zero);
        Assert.InRange(begin, tail - 4096, tail + 4096);
        Assert.Null(session.Get(1));
    }

    [Fact]
    public async Task The_whole_log_can_be_truncated_and_the_store_goes_on()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        using FasterSession session = store.StartSession();
        for (int round = 0; round < 3; round++)
        {
            session.Fill(0, 10_000);
            await store.TruncateAsync(store.Statistics.TailAddress);
            Assert.True(store.Statistics.TailAddress - store.Statistics.BeginAddress <= 4096);
            Assert.Null(session.Get(5));
        }
    }

    [Theory]
    [InlineData("truncate")]
    [InlineData("truncate by age")]
    [InlineData("compact")]
    public async Task A_canceled_token_ends_the_waiting_and_not_the_work(string call)
    {
        var time = new SteppedTime();
        await using FasterStore store =
            await GarbageStore.OpenAsync(null, GarbageStore.Small with { TimeProvider = time });
        using FasterSession session = store.StartSession();
        session.Fill(0, 10_000);
        long tail = store.Statistics.TailAddress;
        time.Now += TimeSpan.FromHours(1);
        _ = await store.TruncateOlderThanAsync(TimeSpan.FromHours(2)); // nothing goes, but all has an age from now on
        time.Now += TimeSpan.FromHours(1);
        using var source = new CancellationTokenSource();
        LogTruncation truncation = store.Reclamation!.Truncation;
        await truncation.Rising.WaitAsync(); // so the work can't end
        Task waiting = call switch
        {
            "truncate" => store.TruncateAsync(tail, source.Token),
            "truncate by age" => store.TruncateOlderThanAsync(TimeSpan.FromMinutes(30), source.Token),
            _ => store.CompactAsync(tail, source.Token),
        };
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        Assert.Equal(64, store.Statistics.BeginAddress);
        truncation.Rising.Release();
        await store.TruncateAsync(0); // after the work, as one runs at a time
        Assert.InRange(store.Statistics.BeginAddress, tail - 4096, store.Statistics.TailAddress);
    }

    [Fact]
    public async Task Space_is_given_back_when_no_commit_that_is_kept_needs_it()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(_folder.Path);
        using FasterSession session = store.StartSession("one");
        session.Fill(0, 30_000);
        _ = await store.CommitAsync();
        long whole = GarbageStore.LogBytes(_folder.Path);
        await store.TruncateAsync(store.Statistics.TailAddress);
        Assert.Equal(whole, GarbageStore.LogBytes(_folder.Path));
        _ = await store.CommitAsync();
        Assert.True(GarbageStore.LogBytes(_folder.Path) >= whole, "The commit before needs it.");
        Commit second = await store.CommitAsync();
        Assert.False(second.WasEmpty);
        Assert.InRange(GarbageStore.LogBytes(_folder.Path), 0, 2 * 64 << 10);
        Assert.InRange(store.Statistics.DiskBytes, 0, 2 * 64 << 10);
        Assert.True((await store.CommitAsync()).WasEmpty);
    }

    [Fact]
    public async Task A_recovered_store_begins_where_its_commit_says()
    {
        long begin;
        await using (FasterStore store = await GarbageStore.OpenAsync(_folder.Path))
        {
            using FasterSession session = store.StartSession("one");
            session.Fill(0, 20_000);
            _ = await store.CommitAsync(withIndex: true);
            long middle = store.Statistics.TailAddress;
            session.Fill(20_000, 40_000);
            await store.TruncateAsync(middle);
            begin = store.Statistics.BeginAddress;
            _ = await store.CommitAsync();
            await store.TruncateAsync(store.Statistics.TailAddress); // which no commit knows of
        }

        await using FasterStore again = await GarbageStore.OpenAsync(_folder.Path);
        using FasterSession continued = again.ContinueSession("one", out _);
        Assert.Equal(begin, again.Statistics.BeginAddress);
        for (long key = 0; key < 19_000; key += 7) Assert.Null(continued.Get(key));
        continued.AssertFilled(20_000, 40_000);
    }

    [Fact]
    public async Task Records_older_than_an_age_are_truncated()
    {
        var time = new SteppedTime();
        StoreOptions options = GarbageStore.Small with { TimeProvider = time };
        await using (FasterStore store = await GarbageStore.OpenAsync(_folder.Path, options))
        {
            using FasterSession session = store.StartSession("one");
            for (int hour = 0; hour < 10; hour++)
            {
                session.Fill(hour * 2000, (hour + 1) * 2000);
                _ = await store.TruncateOlderThanAsync(TimeSpan.FromHours(24)); // too long ago: nothing goes
                time.Now += TimeSpan.FromHours(1);
            }

            Assert.Equal(64, store.Statistics.BeginAddress);
            _ = await store.CommitAsync();
        }

        await using FasterStore again = await GarbageStore.OpenAsync(_folder.Path, options);
        using FasterSession continued = again.ContinueSession("one", out _);
        long begin = await again.TruncateOlderThanAsync(TimeSpan.FromHours(5.5));
        Assert.Equal(again.Statistics.BeginAddress, begin);
        for (long key = 0; key < 9_000; key += 11) Assert.Null(continued.Get(key));
        continued.AssertFilled(10_000, 20_000);
        Assert.Equal(begin, await again.TruncateOlderThanAsync(TimeSpan.FromHours(5.5)));
    }

    [Fact]
    public async Task A_record_that_is_updated_in_place_has_no_age()
    {
        var time = new SteppedTime();
        await using FasterStore store =
            await GarbageStore.OpenAsync(null, GarbageStore.Small with { TimeProvider = time });
        using FasterSession session = store.StartSession();
        session.Fill(0, 2000);
        for (int hour = 0; hour < 5; hour++)
        {
            time.Now += TimeSpan.FromHours(1);
            for (long key = 0; key < 2000; key++) session.Put(key, key * 3);
        }

        _ = await store.TruncateOlderThanAsync(TimeSpan.FromHours(2));
        session.AssertFilled(0, 2000);
    }

    [Fact]
    public async Task An_address_that_is_none_and_a_store_without_log_are_refused()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.TruncateAsync(-1));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.TruncateAsync(1 << 20));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.CompactAsync(1 << 20));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => store.TruncateOlderThanAsync(-TimeSpan.FromDays(1)));
        await store.TruncateAsync(store.Statistics.TailAddress);
        Assert.Equal(64, await store.TruncateOlderThanAsync(TimeSpan.MaxValue));

        await using FasterStore inMemory = await GarbageStore.OpenAsync(
            null, new StoreOptions { Allocator = RecordAllocatorKind.InMemory });
        await Assert.ThrowsAsync<NotSupportedException>(() => inMemory.TruncateAsync(0));
        await Assert.ThrowsAsync<NotSupportedException>(() => inMemory.CompactAsync(0));
    }

    private sealed class SteppedTime : TimeProvider
    {
        public DateTimeOffset Now { get; set; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
