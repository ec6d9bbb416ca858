using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Opening;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.Expiry;

/// <summary>Records that expire in a whole store, by a time that the test moves.</summary>
public sealed class ExpiryTests
{
    private const long Second = 1000;

    private readonly ManualTime _time = new();

    public static TheoryData<RecordAllocatorKind> Allocators => [.. Enum.GetValues<RecordAllocatorKind>()];

    public static TheoryData<CommitKind> Kinds => [.. Enum.GetValues<CommitKind>()];

    [Theory, MemberData(nameof(Allocators))]
    public async Task A_record_is_read_until_its_time_has_come(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.FromSeconds(10));
        using FasterSession session = store.StartSession();
        session.Put(1, 5);
        _time.Advance((10 * Second) - 1);
        Assert.Equal(5, session.Get(1));
        _time.Advance(1);
        Assert.Null(session.Get(1));
        Assert.Null(session.Get(1));
        Assert.Equal(Status.NotFound, session.Remove(1));
    }

    /// <summary>Hits on records that expire go a way of their own; a client counts on its numbers.</summary>
    [Theory, MemberData(nameof(Allocators))]
    public async Task Each_operation_has_the_next_number(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.FromSeconds(10));
        using FasterSession session = store.StartSession();
        long number = 0;
        for (long key = 0; key < 100; key++)
        {
            session.Put(key, 1);
            session.Put(key, 2);
            session.AddTo(key, 1);
            Assert.Equal(3, session.Get(key));
            Assert.Null(session.Get(-1));
            Assert.Equal(number += 5, session.SerialNumber);
        }

        _time.Advance(10 * Second);
        Assert.Null(session.Get(1));
        session.AddTo(1, 1);
        Assert.Equal(number + 2, session.SerialNumber);
    }

    [Fact]
    public async Task A_store_whose_updates_merge_takes_no_time_to_live()
    {
        RecordSchema merging = MergingOperations.Schema;
        StoreOptions options = GarbageStore.Small.For(null);
        await Assert.ThrowsAsync<NotSupportedException>(async () => await FasterStore.OpenAsync(
            null, options with { TimeToLive = TimeSpan.FromSeconds(1) }, merging, default));
        await using FasterStore store = await FasterStore.OpenAsync(null, options, merging, default);
        using FasterSession session = store.StartSession();
        NotSupportedException error = Assert.Throws<NotSupportedException>(
            () => session.TimeToLive = TimeSpan.FromSeconds(1));
        Assert.Contains("[Merger]", error.Message, StringComparison.Ordinal);
        Assert.Equal(TimeSpan.Zero, session.TimeToLive);
    }

    [Theory, MemberData(nameof(Allocators))]
    public async Task Every_update_renews_the_time(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.FromSeconds(10));
        using FasterSession session = store.StartSession();
        session.Put(1, 5);
        session.AddTo(2, 5);
        for (int i = 0; i < 3; i++)
        {
            _time.Advance(9 * Second);
            session.Put(1, 6);
            session.AddTo(2, 1);
        }

        _time.Advance(9 * Second);
        Assert.Equal((6, 8), (session.Get(1), session.Get(2)));
        _time.Advance(Second);
        Assert.Equal((null, null), (session.Get(1), session.Get(2)));
    }

    [Theory, MemberData(nameof(Allocators))]
    public async Task An_expired_record_is_none_for_an_update(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.FromSeconds(10));
        using FasterSession session = store.StartSession();
        session.Put(1, 5);
        session.Put(2, 5);
        session.Put(3, 5);
        _time.Advance(10 * Second);
        session.AddTo(1, 7);
        session.Put(2, 8);
        Assert.Equal((7, 8), (session.Get(1), session.Get(2)));
        Assert.Equal(Status.NotFound, session.Remove(3));
        Assert.Equal(Status.Ok, session.Remove(2));
        Assert.Null(session.Get(2));
    }

    [Theory, MemberData(nameof(Allocators))]
    public async Task A_session_without_a_time_to_live_keeps_or_removes_that_of_a_record(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.Zero);
        using FasterSession session = store.StartSession();
        Assert.Equal(TimeSpan.Zero, session.TimeToLive);
        session.Put(0, 1);
        session.TimeToLive = TimeSpan.FromSeconds(10);
        for (long key = 1; key < 4; key++) session.Put(key, key);
        session.AddTo(0, 1);
        session.TimeToLive = TimeSpan.Zero;
        _time.Advance(9 * Second);
        session.AddTo(1, 10);
        session.Put(2, 20);
        _time.Advance(Second);
        Assert.Null(session.Get(0));
        Assert.Null(session.Get(1));
        Assert.Equal(20, session.Get(2));
        Assert.Null(session.Get(3));
        session.AddTo(3, 1);
        _time.Advance(1000 * Second);
        Assert.Equal((20, 1), (session.Get(2), session.Get(3)));
    }

    [Theory, MemberData(nameof(Allocators))]
    public async Task A_record_of_varying_length_keeps_its_time_when_it_grows(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            null, Options(allocator, TimeSpan.FromSeconds(10)).For(null), Faults.BytesOperations.Schema, default);
        using FasterSession session = store.StartSession();
        Faults.BytesOperations.PutBytes(session, 1, [1, 2, 3]);
        session.TimeToLive = TimeSpan.Zero;
        for (int i = 0; i < 50; i++) Faults.BytesOperations.Append(session, 1, new byte[i]);
        Assert.Equal(3 + (49 * 25), Faults.BytesOperations.GetBytes(session, 1)!.Length);
        _time.Advance(10 * Second);
        Assert.Null(Faults.BytesOperations.GetBytes(session, 1));
        Faults.BytesOperations.Append(session, 1, [4]);
        Assert.Equal([4], Faults.BytesOperations.GetBytes(session, 1)!);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0.75)]
    public async Task Records_on_disk_and_copies_of_them_expire_too(double cache)
    {
        const int Keys = 100_000; // 32 bytes each, the budget is 1 MiB
        StoreOptions options = Options(RecordAllocatorKind.Hybrid, TimeSpan.FromSeconds(10));
        await using FasterStore store = await Open(options with { ReadCacheFraction = cache });
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key);
        for (int round = 0; round < 3; round++)
        {
            for (long key = 0; key < Keys; key += 499) Assert.Equal(key, session.Get(key));
        }

        _time.Advance(9 * Second);
        session.AddTo(0, 1);
        _time.Advance(Second);
        Assert.Equal(1, session.Get(0));
        for (long key = 499; key < Keys; key += 499) Assert.Null(session.Get(key));
        session.AddTo(499, 3);
        Assert.Equal(3, session.Get(499));
        Assert.True(store.Statistics.DiskReads > 0);
        if (cache != 0) Assert.True(store.Statistics.ReadCacheHits > 0, store.Statistics.ToString());
    }

    [Fact]
    public async Task An_operation_that_waits_keeps_the_time_to_live_that_it_began_with()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid, TimeSpan.Zero);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < 100_000; key++) session.Put(key, key);
        session.TimeToLive = TimeSpan.FromSeconds(10);
        var outcome = new CounterOperations.Outcome();
        var operation = new CounterOperations.Add(1, outcome);
        Assert.Equal(Status.Pending, session.Rmw(CounterOperations.Key(1), ref operation));
        session.TimeToLive = TimeSpan.Zero;
        session.CompletePending(wait: true);
        Assert.Equal(Status.Ok, outcome.Status);
        Assert.Equal(2, session.Get(1));
        _time.Advance(10 * Second);
        Assert.Null(session.Get(1));
        session.AddTo(2, 1);
        _time.Advance(1000 * Second);
        Assert.Equal(3, session.Get(2));
    }

    [Fact]
    public async Task A_store_in_memory_reuses_the_space_of_expired_records()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.InMemory, TimeSpan.FromSeconds(1));
        using FasterSession session = store.StartSession();
        for (long key = 0; key < 500_000; key++) // 16 MB through 1 MiB; 10,000 are alive
        {
            if (key % 1000 == 0) _time.Advance(100);
            session.Put(key, key);
            if (key >= 5000) Assert.Equal(key - 5000, session.Get(key - 5000));
        }
    }

    [Fact]
    public async Task A_full_store_in_memory_looks_for_expired_records_before_it_fails()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.InMemory, TimeSpan.FromSeconds(1));
        using FasterSession session = store.StartSession();
        long key = 0;
        Action fill = () =>
        {
            for (;; key++) session.Put(key, key);
        };
        Assert.Throws<LimitExceededException>(fill);
        for (long old = 0; old < key; old++) Assert.Equal(old, session.Get(old));
        _time.Advance(Second);
        for (long more = key; more < key + (key / 2); more++) session.Put(more, more);
        for (long more = key; more < key + (key / 2); more++) Assert.Equal(more, session.Get(more));
    }

    [Fact]
    public async Task A_scan_takes_an_expired_record_for_a_tombstone()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid, TimeSpan.FromSeconds(10));
        using FasterSession session = store.StartSession();
        session.Put(1, 1);
        _time.Advance(5 * Second);
        session.Put(2, 2);
        session.TimeToLive = TimeSpan.Zero;
        session.Put(3, 3);
        _time.Advance(5 * Second);
        using LogScan scan = store.ScanLog();
        List<(long Key, bool IsTombstone, long? Left)> seen = [];
        while (scan.MoveNext())
        {
            long? left = scan.ExpiresAt is { } at ? at.ToUnixTimeMilliseconds() - _time.Now : null;
            seen.Add((BitConverter.ToInt64(scan.Key), scan.IsTombstone, left));
            Assert.Equal(scan.IsTombstone ? 0 : 8, scan.Value.Length);
        }

        Assert.Equal([(1, true, 0), (2, false, 5 * Second), (3, false, null)], seen);
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task A_committed_record_expires_at_its_time_after_recovery(CommitKind kind)
    {
        using var folder = new TemporaryFolder();
        StoreOptions options = Options(RecordAllocatorKind.Hybrid, TimeSpan.FromSeconds(10));
        await using (FasterStore store = await Open(options, folder.Path))
        {
            using FasterSession session = store.StartSession();
            for (long key = 0; key < 30_000; key++) session.Put(key, key);
            _ = await store.CommitAsync(kind);
            _time.Advance(6 * Second);
            for (long key = 0; key < 30_000; key += 3) session.AddTo(key, 1); // many of them in place
            _ = await store.CommitAsync(kind);
            for (long key = 0; key < 30_000; key++) session.Put(key, -1);
        }

        _time.Advance(3 * Second);
        await using (FasterStore store = await Open(options, folder.Path))
        {
            using FasterSession session = store.StartSession();
            for (long key = 0; key < 30_000; key += 101) Assert.Equal(key + (key % 3 == 0 ? 1 : 0), session.Get(key));
            _time.Advance(Second);
            for (long key = 0; key < 30_000; key += 101) Assert.Equal(key % 3 == 0 ? key + 1 : null, session.Get(key));
            session.AddTo(1, 1);
            session.AddTo(3, 1);
            Assert.Equal((1, 5), (session.Get(1), session.Get(3)));
            _time.Advance(6 * Second);
            for (long key = 303; key < 30_000; key += 303) Assert.Null(session.Get(key));
            Assert.Equal((1, 5), (session.Get(1), session.Get(3)));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_expired_record_stays_expired_although_the_clock_is_set_back(bool isDeleted)
    {
        using var folder = new TemporaryFolder();
        StoreOptions options = Options(RecordAllocatorKind.Hybrid, TimeSpan.FromSeconds(10));
        await using (FasterStore store = await Open(options, folder.Path))
        {
            using FasterSession session = store.StartSession();
            session.Put(1, 5);
            _time.Advance(4 * Second);
            session.Put(2, 6);
            _time.Advance(6 * Second);
            if (isDeleted) Assert.Equal(Status.NotFound, session.Remove(1));
            else session.Put(3, 7);
            _ = await store.CommitAsync();
        }

        _time.Advance(-9 * Second);
        await using (FasterStore store = await Open(options, folder.Path))
        {
            Assert.Equal(TimeSpan.FromSeconds(9), store.Recovery!.ClockBehind);
            using FasterSession session = store.StartSession();
            Assert.Equal((null, 6), (session.Get(1), session.Get(2)));
            using LogScan scan = store.ScanLog();
            Assert.True(scan.MoveNext() && scan.IsTombstone);
            _time.Advance(12 * Second);
            Assert.Equal(6, session.Get(2));
            _time.Advance(Second);
            Assert.Null(session.Get(2));
            session.Put(2, 8);
            Assert.Equal(8, session.Get(2));
        }

        // Nothing was committed since: the time is that of the first store's commit again.
        _time.Advance(-13 * Second);
        await using (FasterStore store = await Open(options with { AllowClockRollback = true }, folder.Path))
        {
            Assert.Equal(TimeSpan.Zero, store.Recovery!.ClockBehind);
            using FasterSession session = store.StartSession();
            Assert.Equal((isDeleted ? null : 5, 6), (session.Get(1), session.Get(2)));
        }
    }

    [Fact]
    public async Task Records_live_and_die_in_time_where_the_clock_shows_a_time_before_1970()
    {
        using var folder = new TemporaryFolder();
        _time.Advance(new DateTimeOffset(1965, 1, 2, 3, 4, 5, TimeSpan.Zero).ToUnixTimeMilliseconds() - _time.Now);
        StoreOptions options = Options(RecordAllocatorKind.Hybrid, TimeSpan.FromSeconds(10));
        await using (FasterStore store = await Open(options, folder.Path))
        {
            using FasterSession session = store.StartSession();
            session.Put(1, 5);
            _ = await store.CommitAsync();
        }

        _time.Advance(9 * Second);
        await using (FasterStore store = await Open(options, folder.Path))
        {
            Assert.Equal(TimeSpan.Zero, store.Recovery!.ClockBehind);
            using FasterSession session = store.StartSession();
            Assert.Equal(5, session.Get(1));
            _time.Advance(Second);
            Assert.Null(session.Get(1));
            _ = await store.CommitAsync();
        }

        _time.Advance(-5 * Second);
        await using (FasterStore store = await Open(options, folder.Path))
        {
            Assert.Equal(TimeSpan.FromSeconds(5), store.Recovery!.ClockBehind);
            using FasterSession session = store.StartSession();
            Assert.Null(session.Get(1));
        }
    }

    [Fact]
    public async Task A_time_to_live_is_not_negative()
    {
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => Open(RecordAllocatorKind.Hybrid, TimeSpan.FromTicks(-1)));
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid, TimeSpan.FromSeconds(1));
        using FasterSession session = store.StartSession();
        Assert.Throws<ArgumentOutOfRangeException>(() => session.TimeToLive = TimeSpan.FromDays(-1));
        Assert.Equal(TimeSpan.FromSeconds(1), session.TimeToLive);
        session.TimeToLive = TimeSpan.MaxValue;
        session.Put(1, 1);
        Assert.Equal(1, session.Get(1));
        session.Dispose();
        Assert.Throws<SessionMisuseException>(() => session.TimeToLive = TimeSpan.Zero);
    }

    private StoreOptions Options(RecordAllocatorKind allocator, TimeSpan timeToLive) => new()
    {
        Allocator = allocator, MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4),
        SegmentSize = ByteSize.KiB(64), TimeToLive = timeToLive, TimeProvider = _time,
        CommitOnDispose = false,
    };

    private Task<FasterStore> Open(RecordAllocatorKind allocator, TimeSpan timeToLive) =>
        Open(Options(allocator, timeToLive));

    private static async Task<FasterStore> Open(StoreOptions options, string? folder = null) =>
        await FasterStore.OpenAsync(folder, options.For(folder), CounterOperations.Schema, CancellationToken.None);
}
