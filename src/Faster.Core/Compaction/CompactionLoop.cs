using Faster.Threads;

namespace Faster.Compaction;

/// <summary>
/// A compactor's task: one step after another until it is stopped. A step that fails is reported, and tried again later
/// (<see cref="RetryDelay"/>).
/// </summary>
/// <remarks>Started once. Thread-safe otherwise.</remarks>
/// <param name="step">Waits until there is something to compact, and compacts it.</param>
/// <param name="onFailure">Reports a failed step; false ends the task.</param>
internal sealed class CompactionLoop(Func<Task> step, Func<Exception, bool> onFailure) : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    private readonly RetryDelay _delay = new(Pause);
    private readonly CancellationTokenSource _stop = new();
    private Task _task = Task.CompletedTask;

    /// <summary>Canceled when the task is stopped.</summary>
    public CancellationToken Stopped => _stop.Token;

    /// <summary>Starts the task.</summary>
    public void Start() => _task = BackgroundTasks.Run(RunAsync);

    /// <summary>Makes the task end at its next wait.</summary>
    public void Stop() => _stop.Cancel();

    /// <summary>The clock of the waits. Not the store's clock, which may stand still.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Waits for a moment, or until the task is stopped. Does not throw.</summary>
    public Task PauseAsync() => WaitAsync(Pause);

    /// <summary>Stops the task, and waits for it. A step under way must have been told to stop.</summary>
    public void Dispose()
    {
        Stop();
        _task.Wait();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await step().Here();
                _delay.Reset();
                continue;
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (Exception e)
            {
                if (!onFailure(e)) return;
            }

            await WaitAsync(_delay.Next()).Here();
        }
    }

    private async Task WaitAsync(TimeSpan time) =>
        await BackgroundTasks.DelayAsync(time, Time, _stop.Token).HereQuietly();
}
