using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Sessions;

/// <summary>A caller who is about to wait for a session's operations while the session ends.</summary>
public sealed class LateWaitTests
{
    [Fact]
    public Task No_session_is_made_of_one_that_is_about_to_be_waited_for() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { ReadCacheFraction = 0, Device = device });
        using (FasterSession filling = store.StartSession("filling")) filling.Fill(0, 30_000);
        FasterSession ended = store.StartSession();
        device.Hold(end: long.MaxValue);
        var add = new Add(1, null);
        Assert.Equal(Status.Pending, ended.Rmw(Key(1), ref add));
        FasterSession? next = null;
        Probe.Current = new Meanwhile(() =>
        {
            device.Release();
            ended.Dispose();
            next = store.StartSession();
        });
        await Assert.ThrowsAsync<SessionMisuseException>(() => ended.CompletePendingAsync().AsTask());
        Probe.Current = null;
        Assert.NotNull(next);
        Assert.NotSame(ended.Pending, next.Pending);
        Assert.Equal(4, next.Get(1));
        next.Dispose();
        using FasterSession usual = store.StartSession();
        Assert.Same(next.Pending, usual.Pending); // or nothing is shown
    });

    /// <summary>Does something once, where a caller is about to wait.</summary>
    private sealed class Meanwhile(Action action) : IProbe
    {
        private Action? _action = action;

        public void Point(ProbePoint point)
        {
            if (point == ProbePoint.Wait) Interlocked.Exchange(ref _action, null)?.Invoke();
        }
    }
}
