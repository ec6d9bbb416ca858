using Faster.Log;
using Faster.Threads;

namespace Faster.Compaction;

/// <summary>
/// A background task that compacts a log, one step after another until it is stopped. What all compactors do is here;
/// each of them says when there is something to compact, up to which address, and by which step.
/// </summary>
/// <remarks>
/// <para>A step is followed by the release of the space that it has truncated, which may take commits. A step that
/// truncates nothing, because a value in fragments is being written there, is tried again a moment later.</para>
/// <para>A step that fails is reported, and tried again later (<see cref="RetryDelay"/>), except after a failed sync
/// where commits follow the steps: that ends the task.</para>
/// <para>Started once. Thread-safe otherwise.</para>
/// </remarks>
/// <param name="gate">The gate of the log, signaled after each step.</param>
/// <param name="onFault">Called with the failure of a step.</param>
internal abstract class Compactor(WaitGate gate, Action<Exception> onFault) : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);
    private readonly RetryDelay _delay = new(Pause);
    private readonly CancellationTokenSource _stop = new();
    private Task _task = Task.CompletedTask;
    private volatile bool _fails;

    /// <summary>What follows the steps of a compactor where nothing commits.</summary>
    public static Func<Task> NoCommit { get; } = static () => Task.CompletedTask;

    /// <summary>The clock of pauses and retries. Not the store's clock, which may stand still.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Commits until truncated space can be released; by default no commit follows a step.</summary>
    public Func<Task> Commit { get; init; } = NoCommit;

    /// <summary>Whether the log takes more space than it may.</summary>
    public virtual bool IsExceeded => false;

    /// <summary>Whether commits follow steps.</summary>
    protected bool Commits => Commit != NoCommit;

    /// <summary>Whether the last step has failed.</summary>
    protected bool Fails => _fails;

    /// <summary>Canceled when the task is stopped.</summary>
    protected CancellationToken Stopped => _stop.Token;

    /// <summary>Starts the task.</summary>
    public virtual void Start() => _task = BackgroundTasks.Run(RunAsync);

    /// <summary>Makes the task end at its next wait. Idempotent.</summary>
    public void Stop() => _stop.Cancel();

    /// <summary>
    /// Stops the task, and waits for it. A step under way must have been told to stop; a commit under way goes on, and
    /// the coordinator waits for it.
    /// </summary>
    public virtual void Dispose()
    {
        Stop();
        _task.Wait();
        _stop.Dispose();
    }

    /// <summary>Waits until there may be something to compact.</summary>
    protected abstract Task WaitAsync();

    /// <summary>Chooses the address up to which the next step goes; 0: there is none to make now.</summary>
    protected abstract Task<long> ChooseAsync();

    /// <summary>Compacts and truncates the log up to an address.</summary>
    /// <returns>The number of bytes of the log that were truncated.</returns>
    protected abstract Task<long> StepAsync(long until);

    /// <summary>Releases the space that was truncated, as far as no commit needs it.</summary>
    protected abstract Task ReleaseAsync();

    /// <summary>Whether commits must follow a step that has truncated something.</summary>
    protected virtual bool MustCommit() => true;

    /// <summary>Called when the space that a step has truncated was released.</summary>
    protected virtual void OnReleased()
    {
    }

    /// <summary>Called when a step was made, or none was to be made, or it has failed.</summary>
    protected virtual void OnStepEnded()
    {
    }

    /// <summary>Called when the task ends.</summary>
    protected virtual void OnStopped()
    {
    }

    /// <summary>Waits for a moment, or until the task is stopped. Does not throw.</summary>
    protected Task PauseAsync() => PauseAsync(Pause);

    private async Task RunAsync()
    {
        for (bool goesOn = true; goesOn && !_stop.IsCancellationRequested;) goesOn = await TryStepAsync().Here();
        OnStopped();
    }

    private async Task<bool> TryStepAsync()
    {
        try
        {
            await StepWhenDueAsync().Here();
            _delay.Reset();
            return true;
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            return false;
        }
        catch (Exception e)
        {
            _fails = true;
            OnStepEnded();
            gate.Signal();
            onFault(e);
            if (Commits && e is StorageException { MayRetry: false }) return false;
        }

        await PauseAsync(_delay.Next()).Here();
        return true;
    }

    private async Task StepWhenDueAsync()
    {
        await WaitAsync().Here();
        long until = await ChooseAsync().Here();
        long truncated = until == 0 ? 0 : await StepAsync(until).Here();
        if (truncated != 0)
        {
            await ReleaseAsync().Here();
            if (MustCommit()) await Commit().OrCanceled(Stopped).Here();
            OnReleased();
        }

        _fails = false;
        OnStepEnded();
        gate.Signal(); // the log may have space for a while, or throttle no writer any more
        if (until != 0 && truncated == 0) await PauseAsync().Here();
    }

    private async Task PauseAsync(TimeSpan time) =>
        await BackgroundTasks.DelayAsync(time, Time, _stop.Token).HereQuietly();
}
