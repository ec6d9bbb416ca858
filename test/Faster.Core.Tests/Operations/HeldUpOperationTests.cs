using System.Diagnostics;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.LogSessions.Pending;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.Operations;

/// <summary>Operations that others block don't keep the store's thread busy.</summary>
public sealed class HeldUpOperationTests
{
    [Fact]
    public Task An_awaited_update_of_a_latched_record_is_tried_now_and_then() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenAsync(device);
        using FasterSession session = store.StartSession(), other = store.StartSession();
        session.Put(1, 5);
        session.Fill(100, 30_000);
        device.Hold(end: long.MaxValue); // only the operation under test reads
        Task<Status> added = session.AddAsync(1, 1).AsTask();
        Assert.False(added.IsCompleted);

        // While it reads, the key gets a record in memory, and another session's function holds the latch of that.
        other.Put(1, 70);
        using var entered = new ManualResetEventSlim();
        using var released = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();
        long turns = 0, begun = 0;
        double milliseconds = 0;
        Task<Status> holding = Task.Run(() => other.AddAsync(1, 2, () =>
        {
            entered.Set();
            released.Wait();
            (turns, begun) = (Looks(store), Stopwatch.GetTimestamp());
            never.Wait(TimeSpan.FromMilliseconds(400));
            milliseconds = Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
            turns = Looks(store) - turns;
            Assert.False(added.IsCompleted);
        }).AsTask());
        entered.Wait();
        device.Release();
        released.Set();
        Assert.Equal(Status.Ok, await holding);
        Assert.Equal(Status.Ok, await added);
        Assert.Equal(73, session.Get(1));

        // Each millisecond at most, besides what it tries at once at first: it was every few microseconds.
        Assert.True(turns < (milliseconds * 4) + 200, $"{turns} turns and attempts in {milliseconds:0} ms.");
    });

    [Fact]
    public Task An_awaited_update_that_makes_no_progress_ends_with_the_cause() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenAsync(device);
        using FasterSession session = store.StartSession(), other = store.StartSession("blocking");
        session.Put(1, 5);
        session.Fill(100, 30_000);
        device.Hold(end: long.MaxValue);
        store.Core.StallLimit = TimeSpan.FromMilliseconds(100); // before: an operation keeps the limit it begins with
        Task<Status> added = session.AddAsync(1, 1).AsTask();
        other.Put(1, 70);
        using ManualResetEventSlim entered = new(), leave = new();
        Task<Status> holding = Task.Run(() => other.AddAsync(1, 2, () =>
        {
            entered.Set();
            leave.Wait();
        }).AsTask());
        entered.Wait();
        device.Release();
        var stalled = await Errors.ThrowsAsync(
            ErrorReason.UserFunction, () => added.WaitAsync(TestBudget.StallTimeout));
        Assert.Contains("blocking", stalled.Message, StringComparison.Ordinal);
        store.Core.StallLimit = TestBudget.StallTimeout;
        leave.Set();
        Assert.Equal(Status.Ok, await holding);
        Assert.Equal(72, session.Get(1));
    });

    private static Task<FasterStore> OpenAsync(Device device) =>
        GarbageStore.OpenAsync(null, GarbageStore.Small with { ReadCacheFraction = 0, Device = device });

    private static long Looks(FasterStore store) => IOThread.Of(store.Tier).Turns + IOThread.Of(store.Tier).Continued;
}
