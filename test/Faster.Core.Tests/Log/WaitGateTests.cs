using System.Diagnostics;
using Faster.Log;

namespace Faster.Tests.Log;

public sealed class WaitGateTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    [Fact]
    public void A_condition_that_holds_is_not_waited_for()
    {
        var gate = new WaitGate();
        gate.Wait(() => true, Long);
        int resumed = 0;
        gate.Park(() => true, () => resumed++);
        Assert.Equal(1, resumed);
        gate.Signal();
        Assert.Equal(1, resumed);
    }

    [Fact]
    public void The_parked_are_resumed_once_by_the_next_opening()
    {
        var gate = new WaitGate();
        int resumed = 0;
        gate.Park(() => false, () => resumed++);
        gate.Park(() => false, () => gate.Park(() => false, () => resumed += 10)); // parks again while it is resumed
        Assert.Equal(0, resumed);
        gate.Signal();
        Assert.Equal(1, resumed);
        gate.Signal();
        Assert.Equal(11, resumed);
        gate.Signal();
        Assert.Equal(11, resumed);
    }

    [Fact]
    public void A_parked_operation_is_not_resumed_before_its_condition_holds()
    {
        var gate = new WaitGate();
        bool first = false, second = false;
        string resumed = string.Empty;
        gate.ParkUntil(() => first, () => resumed += "1");
        gate.Park(() => false, () => resumed += "0");
        gate.ParkUntil(() => second, () => resumed += "2");
        gate.Signal();
        Assert.Equal("0", resumed);
        second = true;
        gate.Signal();
        Assert.Equal("02", resumed);
        first = true;
        gate.Signal();
        gate.Signal();
        Assert.Equal("021", resumed);
        gate.ParkUntil(() => first, () => resumed += "3");
        Assert.Equal("0213", resumed);
    }

    [Fact]
    public async Task An_opening_between_the_check_and_the_wait_is_not_missed()
    {
        var gate = new WaitGate();
        Task? opener = null;
        long start = Stopwatch.GetTimestamp();
        gate.Wait(
            () =>
            {
                opener = Task.Run(gate.Signal); // can't be through before the waiter has taken its place
                return false;
            },
            Long);
        Assert.True(Stopwatch.GetElapsedTime(start) < Long, "The opening was missed: the wait went on to its limit.");
        await opener!.WaitAsync(Long);
    }

    [Fact]
    public async Task A_task_waits_for_as_many_openings_as_its_condition_takes()
    {
        var gate = new WaitGate();
        int looks = 0;
        Task waiter = gate.WaitForAsync(() => Interlocked.Increment(ref looks) == 3, default);
        Assert.Equal(1, looks);
        while (!waiter.IsCompleted) gate.Signal();
        await waiter;
        Assert.Equal(3, looks);
        await gate.WaitForAsync(() => true, default);
    }

    [Fact]
    public async Task A_task_that_waits_can_be_cancelled()
    {
        using var source = new CancellationTokenSource();
        Task waiter = new WaitGate().WaitForAsync(() => false, source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter);
    }

    [Fact]
    public void A_wait_ends_when_its_time_is_over()
    {
        var gate = new WaitGate();
        gate.Wait(() => false, TimeSpan.Zero);
        gate.WaitFor(() => false, TimeSpan.Zero);
        gate.WaitFor(() => false, TimeSpan.FromMilliseconds(1));
    }

    [Fact]
    public async Task A_wait_for_a_condition_outlasts_signals()
    {
        var gate = new WaitGate();
        int looks = 0;
        Task waiter = Task.Run(() => gate.WaitFor(() => Interlocked.Increment(ref looks) > 3, Long));
        while (!waiter.IsCompleted) gate.Signal();
        await waiter;
        Assert.Equal(4, looks);
    }
}
