using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;

namespace Faster.Tests.Compaction.Expiry;

/// <summary>The space of expired records is reclaimed in time, automatically.</summary>
public sealed class ExpiredLogCompactorTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Expired_records_leave_the_disk(bool inMemory) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(inMemory ? null : _folder.Path, seconds: 10);
        using FasterSession session = store.StartSession();
        session.Fill(0, 60_000);
        session.TimeToLive = TimeSpan.Zero;
        session.Fill(60_000, 62_000); // behind them, without expiry
        session.TimeToLive = TimeSpan.FromHours(1);
        session.Fill(62_000, 90_000);
        long full = store.Statistics.DiskBytes;
        await PassAsync(store, 11_000, () => store.Statistics.DiskBytes < full / 2);
        Assert.Null(session.Get(5));
        session.AssertFilled(60_000, 90_000);
        await PassAsync(store, 3_600_000, () => store.Statistics.DiskBytes < full / 3);
        Assert.Null(session.Get(70_000));
        session.AssertFilled(60_000, 62_000);
        Assert.Null(store.Statistics.LastFault);
        if (!inMemory) Assert.True(GarbageStore.LogBytes(_folder.Path) < full / 2);
    });

    [Fact]
    public Task Lasting_records_are_not_copied_for_a_few_that_expire() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(null, seconds: 0);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < 60_000; key++)
        {
            session.TimeToLive = key % 4 == 0 ? TimeSpan.FromSeconds(10) : TimeSpan.Zero;
            session.Put(key, key * 3);
        }

        for (int looks = 0; looks < 20; looks++) await _time.PassAsync(61_000);
        await _time.PassAsync(0); // the last check is over, too
        Assert.Equal(0, store.Statistics.BytesReclaimed);
        for (long key = 0; key < 60_000; key += 97)
            Assert.Equal(key % 4 == 0 ? null : key * 3, session.Get(key));
    });

    [Fact]
    public Task A_copy_expires_when_its_record_would_have() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(null, seconds: 100);
        using FasterSession session = store.StartSession();
        session.Fill(0, 20_000);
        session.TimeToLive = TimeSpan.Zero;
        session.Fill(20_000, 40_000);
        _time.Advance(50_000);
        CompactionResult result = await store.CompactAsync(store.Statistics.HeadAddress);
        Assert.True(result.RecordsCopied > 20_000);
        _time.Advance(49_999);
        session.AssertFilled(0, 40_000, 7);
        _time.Advance(1);
        for (long key = 0; key < 20_000; key += 7) Assert.Null(session.Get(key));
        session.AssertFilled(20_000, 40_000, 7);
    });

    // A step for each check of the compactor.
    private async Task PassAsync(FasterStore store, long milliseconds, Func<bool> isDone)
    {
        _time.Advance(milliseconds);
        while (!isDone())
        {
            Assert.Null(store.Statistics.LastFault);
            await _time.PassAsync(1_000);
        }
    }

    private Task<FasterStore> OpenAsync(string? folder, int seconds) => GarbageStore.OpenAsync(
        folder, GarbageStore.Small with { TimeProvider = _time, TimeToLive = TimeSpan.FromSeconds(seconds) });
}
