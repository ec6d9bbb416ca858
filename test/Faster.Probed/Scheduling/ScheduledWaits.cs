using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>
/// Waits of a commit's or a truncation's steps on a scheduled thread: they take turns, so that an asynchronous method
/// which waits only through this runs to its end on its thread.
/// </summary>
internal sealed class ScheduledWaits(EpochTable epochs) : IStepWaits
{
    /// <summary>Runs an asynchronous method whose waits have all ended when it returns.</summary>
    public static void Run(Task steps)
    {
        Assert.True(steps.IsCompleted, "A step waits where the scheduler can't see it.");
        steps.GetAwaiter().GetResult();
    }

    /// <summary>Lets other threads run.</summary>
    public static void Turn()
    {
        // More than one turn: two threads that wait for a third must not keep it from running.
        for (int turn = 0; turn < 3; turn++) Probe.Point(ProbePoint.Wait);
    }

    /// <inheritdoc/>
    public void Bump() => epochs.Bump(static () => { });

    /// <inheritdoc/>
    public Task SafeAsync()
    {
        bool safe = false;
        epochs.Bump(() => safe = true);
        return Until(() => safe);
    }

    /// <inheritdoc/>
    public Task SafeAtOnceAsync() => SafeAsync();

    /// <inheritdoc/>
    public Task UntilAsync(WaitGate gate, Func<bool> condition) => Until(condition);

    /// <inheritdoc/>
    public Task EnterAsync(SemaphoreSlim semaphore)
    {
        while (!semaphore.Wait(0)) Until(() => semaphore.CurrentCount != 0);
        return Task.CompletedTask;
    }

    private static Task Until(Func<bool> condition)
    {
        while (!condition()) Assert.True(Probe.Wait(condition), "Nothing can come of this wait.");
        return Task.CompletedTask;
    }
}
