using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Log;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Analytics.Scans;

/// <summary>
/// A scan of the one log beside compaction, truncation and updates, under controlled schedules: each key that is there
/// all the time is returned once, with a value that it had, although the space of what was truncated is released.
/// </summary>
public sealed class ScanScheduleTests
{
    private const long First = PagedLog.FirstAddress, RecordBytes = 2016;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    [Fact]
    public void A_scan_returns_what_compaction_copies_once() =>
        Explorer.Run(Options, ScanBesideCompaction).AssertClean();

    [Fact]
    public void A_scan_whose_pin_comes_too_late_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.PinWithoutLook], Schedules = 10_000 }, ScanBesideCompaction)
        .AssertFound("has been given up");

    [Fact]
    public void A_scan_that_takes_its_end_before_its_pin_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.ScanEndsBelowFirst], Schedules = 10_000 }, ScanBesideCompaction)
        .AssertFound("Collections differ");

    [Fact]
    public void A_scan_returns_an_update_or_what_was_before_it() =>
        Explorer.Run(Options, ScanBesideUpdates).AssertClean();

    [Fact]
    public void A_scan_has_all_of_what_is_truncated_or_nothing() =>
        Explorer.Run(Options, ScanBesideTruncation).AssertClean();

    private static Scenario ScanBesideCompaction()
    {
        ScheduledStore<HalfPageShape> store = Loaded();
        ScanPart[]? parts = null;
        return new Scenario(
            [() => parts = Capture(store), () => Compact(store)],
            () =>
            {
                Assert.Equal([(1, 10), (2, 20)], Scan(parts!));
                store.Dispose();
            });
    }

    private static Scenario ScanBesideUpdates()
    {
        ScheduledStore<HalfPageShape> store = Loaded();
        ScanPart[]? parts = null;
        return new Scenario(
            [
                () => parts = Capture(store),
                () => Compact(store),
                () =>
                {
                    store.Add(1, 1, 1);
                    _ = store.Remove(1, 2);
                },
            ],
            () =>
            {
                List<(long Key, long? Value)> live = Scan(parts!);
                Assert.Contains(Assert.Single(live, static pair => pair.Key == 1).Value, new long?[] { 10, 11 });
                foreach ((long _, long? value) in live.Where(static pair => pair.Key == 2)) Assert.Equal(20, value);
                Assert.InRange(live.Count, 1, 2);
                store.Dispose();
            });
    }

    private static Scenario ScanBesideTruncation()
    {
        ScheduledStore<HalfPageShape> store = Loaded();
        ScanPart[]? parts = null;
        return new Scenario(
            [
                () => parts = Capture(store),
                () =>
                {
                    store.RaiseBegin();
                    store.Host.Release();
                },
                () => store.Put(1, 3, 30),
            ],
            () =>
            {
                List<(long Key, long? Value)> live = Scan(parts!);
                Assert.Equal(live.Contains((1, 10)), live.Contains((2, 20)));
                Assert.All(live, static pair => Assert.Equal(pair.Key * 10, pair.Value));
                store.Dispose();
            });
    }

    private static ScanPart[] Capture(ScheduledStore<HalfPageShape> store)
    {
        LogSource source = store.Host.Store.Analytics.Source;
        Task<ScanPart[]> capture = ScannedLogs.CaptureAsync(
            [source],
            (log, end) => store.Host.Waits.UntilAsync(log.Log.Gate, () => log.Log.SafeImmutableAddress >= end));
        ScheduledWaits.Run(capture);
        return capture.Result;
    }

    // What a scan returns of the keys of the tests, by key; its range is released then.
    private static List<(long Key, long? Value)> Scan(ScanPart[] parts) =>
    [
        .. LiveScan
            .OverAsync(_ => Task.FromResult(parts), ScanOptions.MinTableMemory, AnalyticsStores.Pair, default)
            .ToBlockingEnumerable().Where(static pair => pair.Key < 1000).Order(),
    ];

    private static void Compact(ScheduledStore<HalfPageShape> store)
    {
        store.Copy(0, 1, First, Value(10));
        store.Copy(0, 2, First + RecordBytes, Value(20));
        store.RaiseBegin();
        store.Host.Release();
    }

    // Keys 1 and 2 are in the first page, on disk.
    private static ScheduledStore<HalfPageShape> Loaded()
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, 2, cached: true, frozen: false);
        store.Put(0, 1, 10);
        store.Put(0, 2, 20);
        store.ShiftReadOnly();
        store.PushHead();
        return store;
    }

    private static byte[] Value(long number)
    {
        byte[] value = new byte[HalfPageShape.ValueSize];
        BitConverter.TryWriteBytes(value, number);
        BitConverter.TryWriteBytes(value.AsSpan(value.Length - 8), number);
        return value;
    }
}
