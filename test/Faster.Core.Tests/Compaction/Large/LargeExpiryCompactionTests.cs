using System.Buffers;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Compaction.Large;

/// <summary>Values in fragments that expire: compaction moves them with their exact expiry, or not at all.</summary>
public sealed class LargeExpiryCompactionTests : IDisposable
{
    private const int Length = 40_000, Seconds = 1_000;

    private readonly TemporaryFolder _folder = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, false)]
    [InlineData(RecordAllocatorKind.Hybrid, true)]
    [InlineData(RecordAllocatorKind.AppendOnly, false)]
    [InlineData(RecordAllocatorKind.AppendOnly, true)]
    public Task A_value_that_moves_keeps_its_very_expiry(RecordAllocatorKind allocator, bool straddles) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await OpenAsync(
                Options with { TimeProvider = _time, Allocator = allocator });
            using FasterSession session = store.StartSession();
            session.TimeToLive = TimeSpan.FromMilliseconds((100 * Seconds) + 1);
            session.PutBytes(1, Value(Length, 1));
            long expiry = _time.Now + (100 * Seconds) + 1;
            await AssertExpiryAsync(store, 1, expiry);
            long record = store.Log.TailAddress;
            session.TimeToLive = TimeSpan.Zero;
            session.PutBytes(2, Value(3 * Page, 2));
            _time.Advance(50 * Seconds);
            CompactionResult result = await store.CompactAsync(straddles ? 2 * Page : store.Log.TailAddress);
            Assert.True(straddles == result.BeginAddress < record - Page, "The part does not end where it was to.");
            Assert.InRange(result.BytesCopied, Length, Length + (4 * Page));
            await AssertExpiryAsync(store, 1, expiry);
            _time.Advance(expiry - _time.Now - 1);
            Assert.Equal(Value(Length, 1), session.GetBytes(1));
            _time.Advance(1);
            Assert.Null(session.GetBytes(1));
            Assert.Equal(Value(3 * Page, 2), session.GetBytes(2));
        });

    [Fact]
    public Task A_value_keeps_its_very_expiry_where_updates_merge_since() => Guard.RunAsync(async () =>
    {
        long expiry = _time.Now + (100 * Seconds);
        await using (FasterStore before = await OpenAsync(Options with { TimeProvider = _time }, _folder.Path))
        {
            using FasterSession writer = before.StartSession();
            writer.TimeToLive = TimeSpan.FromSeconds(100);
            writer.PutBytes(1, Value(Length, 1));
            _ = await before.CommitAsync();
        }

        RecordSchema merging = BytesOperations.Schema with
        {
            Merger = static (_, older, newer, merged) => merged.Write([.. older, .. newer]),
        };
        await using FasterStore store = await FasterStore.OpenAsync(
            _folder.Path, Options with { TimeProvider = _time }, merging, default);
        CompactionResult result = await store.CompactAsync(store.Log.TailAddress);
        Assert.True(result.RecordsCopied > 0, "It was not copied.");
        await AssertExpiryAsync(store, 1, expiry);
        using FasterSession session = store.StartSession();
        _time.Advance(expiry - _time.Now - 1);
        Assert.Equal(Value(Length, 1), session.GetBytes(1));
        _time.Advance(1);
        Assert.Null(session.GetBytes(1));
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_dead_value_does_not_move(bool straddles) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(Options with { TimeProvider = _time });
        using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(10);
        session.PutBytes(1, Value(Length, 1));
        session.TimeToLive = TimeSpan.Zero;
        session.PutBytes(2, Value(10, 2));
        long tail = store.Log.TailAddress;
        _time.Advance(10 * Seconds);
        CompactionResult result = await store.CompactAsync(straddles ? 2 * Page : tail);
        Assert.True(result.BeginAddress > Page, "Nothing was given up.");
        Assert.InRange(result.RecordsCopied, 0, 1);
        Assert.InRange(result.BytesCopied, 0, 200);
        Assert.True(store.Log.TailAddress - tail < 2 * Page, "Its chunks were copied.");
        Assert.Null(session.GetBytes(1));
        Assert.Equal(Value(10, 2), session.GetBytes(2));
    });

    /// <summary>
    /// By their records alone the large ones would be a thousandth of the live data: their fragments count.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task The_space_of_expired_large_values_is_released_without_a_call(bool onFiles) =>
        Guard.RunAsync(async () =>
        {
            const int Lasting = 4_000, Large = 80;
            await using FasterStore store = await OpenAsync(
                Options with { TimeProvider = _time, SegmentSize = ByteSize.KiB(64) }, onFiles ? _folder.Path : null);
            using FasterSession session = store.StartSession();
            for (int key = 0; key < Lasting; key++)
            {
                if (key % (Lasting / Large) == 0)
                {
                    session.TimeToLive = TimeSpan.FromSeconds(10);
                    session.PutBytes(Lasting + key, Value(Length, key));
                    session.TimeToLive = TimeSpan.Zero;
                }

                session.PutBytes(key, Value(100, key));
            }

            long full = store.Statistics.DiskBytes, wanted = full - (Large / 2 * Length);
            _time.Advance(11 * Seconds);
            while (store.Statistics.DiskBytes > wanted)
            {
                Assert.Null(store.Statistics.LastFault);
                await _time.PassAsync(61 * Seconds);
            }

            Assert.Null(session.GetBytes(Lasting));
            for (int key = 0; key < Lasting; key += 97) Assert.Equal(Value(100, key), session.GetBytes(key));
            if (onFiles) Assert.True(GarbageStore.LogBytes(_folder.Path) < full - (Large / 4 * Length));
        });

    private static async Task AssertExpiryAsync(FasterStore store, int key, long expiry)
    {
        await foreach ((int found, long? at) in store.Analytics.ScanAsync(
            null, static r => (BitConverter.ToInt32(r.Key), r.ExpiresAt?.ToUnixTimeMilliseconds())))
        {
            if (found != key) continue;
            Assert.Equal(expiry, at);
            return;
        }

        Assert.Fail($"Key {key} is not shown.");
    }
}
