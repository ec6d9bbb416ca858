using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Log;
using Faster.LogSessions.Pending;
using Faster.Operations.Waiting;
using Faster.Tests.Compaction;
using Faster.Tests.Devices;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.LogSessions.Pending;

/// <summary>Awaited operations continue on several threads, none of which serves the device.</summary>
public sealed class BackgroundWorkersTests
{
    private static readonly int Workers = BackgroundWorkers.CountForMachine;

    // One for each worker: the hash decides which one continues an operation.
    private static long[] KeysApart(FasterStore store) =>
    [
        .. Enumerable.Range(0, 1_000)
            .GroupBy(key => (uint)(CounterOperations.Key(key).Hash(store.Tier.Seed) >> 32) % (uint)Workers)
            .Select(static group => (long)group.First()),
    ];

    [Fact]
    public Task Awaited_updates_of_records_on_disk_run_side_by_side() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(new MemoryDevice());
        using FasterSession session = store.StartSession();
        session.Fill(0, 30_000);

        // Each updater waits for the others: one thread alone would never come to the second.
        using var together = new Barrier(Workers);
        long[] keys = KeysApart(store);
        Task<Status>[] added = [.. keys.Select(key => session.AddAsync(
            key, 1, () => together.SignalAndWait(TestBudget.StallTimeout)).AsTask())];
        foreach (Status status in await Task.WhenAll(added)) Assert.Equal(Status.Ok, status);
        Assert.Equal(1, together.CurrentPhaseNumber);
        Assert.Equal(Workers, keys.Length);
        foreach (long key in keys) Assert.Equal((key * 3) + 1, session.Get(key));
    });

    [Fact]
    public Task Pages_are_flushed_while_user_functions_block_all_workers() => Guard.RunAsync(async () =>
    {
        var device = new HeldWrites(new MemoryDevice());
        await using FasterStore store = await OpenAsync(device);
        using FasterSession session = store.StartSession();
        session.Fill(0, 30_000);
        PagedLog log = store.Tier.PagedLog!;

        // More parts are immutable than there are buffers to encode them into.
        long flushed = log.ShiftReadOnlyToTail();
        await log.Gate.WaitForAsync(() => log.FlushedUntilAddress >= flushed, default);
        device.IsHolding = true;
        for (int i = 0; i < 2_000; i++) session.Put(40_000 + i, i);
        long end = log.ShiftReadOnlyToTail();
        await log.Gate.WaitForAsync(() => log.SafeImmutableAddress >= end, default);

        using var inside = new CountdownEvent(Workers);
        using var released = new ManualResetEventSlim();
        Task<Status>[] added = [.. KeysApart(store).Select(key => session.AddAsync(key, 1, () =>
        {
            inside.Signal();
            released.Wait();
        }).AsTask())];
        inside.Wait();
        Assert.True(log.FlushedUntilAddress < end);
        device.Release();
        await log.Gate.WaitForAsync(() => log.FlushedUntilAddress >= end, default);
        released.Set();
        foreach (Status status in await Task.WhenAll(added)) Assert.Equal(Status.Ok, status);
    });

    [Fact]
    public Task Updates_of_one_key_continue_in_the_order_of_their_session() => Guard.RunAsync(async () =>
    {
        const int Updates = 20;
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenAsync(device);
        using FasterSession session = store.StartSession();
        session.Fill(0, 30_000);
        for (int key = 0; key < 20; key++)
        {
            device.Hold(long.MaxValue);
            var order = new List<int>();
            Task<Status>[] added = [.. Enumerable.Range(0, Updates).Select(number => session.AddAsync(
                key, 1, () => order.Add(number)).AsTask())];
            device.Release();
            _ = await Task.WhenAll(added);
            Assert.Equal(Enumerable.Range(0, Updates), order);
        }
    });

    [Fact]
    public Task Sums_are_exact_when_many_sessions_await_cold_records() => Guard.RunAsync(async () =>
    {
        const int Sessions = 4, Keys = 500, Rounds = 6;
        await using FasterStore store = await OpenAsync(new MemoryDevice());
        using (FasterSession session = store.StartSession()) session.Fill(0, 30_000);
        await Task.WhenAll(Enumerable.Range(0, Sessions).Select(number => Task.Run(async () =>
        {
            await using FasterSession session = store.StartSession();
            var random = new Random(number);
            for (int round = 0; round < Rounds; round++)
            {
                Task<Status>[] added =
                    [.. Enumerable.Range(0, Keys).Select(_ => session.AddAsync(random.Next(Keys), 1).AsTask())];
                foreach (Status status in await Task.WhenAll(added)) Assert.Equal(Status.Ok, status);
            }
        })));
        using FasterSession reader = store.StartSession();
        long sum = Enumerable.Range(0, Keys).Sum(key => reader.Get(key)!.Value - (key * 3L));
        Assert.Equal(Sessions * Rounds * Keys, sum);
        Assert.Null(store.Statistics.LastFault);
    });

    private static Task<FasterStore> OpenAsync(Device device) =>
        GarbageStore.OpenAsync(null, GarbageStore.Small with { Device = device, ReadCacheFraction = 0 });

    private sealed class HeldWrites(Device inner) : PassingDevice(inner)
    {
        private readonly Lock _lock = new();
        private readonly List<IORequest> _held = [];

        public bool IsHolding { get; set; }

        public override void Submit(ReadOnlySpan<IORequest> requests)
        {
            foreach (IORequest request in requests)
            {
                lock (_lock)
                {
                    if (IsHolding && request.Kind == IOKind.Write) _held.Add(request);
                    else base.Submit([request]);
                }
            }
        }

        public void Release()
        {
            lock (_lock)
            {
                IsHolding = false;
                foreach (IORequest request in _held) base.Submit([request]);
                _held.Clear();
            }

            Wake();
        }
    }
}
