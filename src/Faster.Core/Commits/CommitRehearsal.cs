using Faster.Checkpoints;
using Faster.Log;
using Faster.Threads;

namespace Faster.Commits;

/// <summary>
/// Runs the phases of a commit once over nothing, so that they are compiled before the first commit of a process needs
/// them.
/// </summary>
/// <remarks>
/// The phases pass on threads of sessions (<see cref="IStepWaits.SafeAtOnceAsync"/>), while no session makes hits;
/// compiling them there takes some ten milliseconds. Has no participants, and touches nothing of the store: its state
/// is one of its own. Used once.
/// </remarks>
internal sealed class CommitRehearsal : IStepWaits, ICommitSteps, ICommitSessions, ICommitHost
{
    private static int _hasRun;

    private readonly CommitSteps _steps;

    private CommitRehearsal(CommitState state) => _steps = new CommitSteps(
        CommitKind.FoldOver, state, [], publisher: null!, this, this, TimeProvider.System);

    /// <inheritdoc/>
    public bool HasWork => false;

    /// <inheritdoc/>
    public long Clock => 0;

    /// <inheritdoc/>
    public bool IsAnyInUnit => _steps.IsAnyInUnit;

    /// <summary>Runs them, in a background task, unless this process has done so.</summary>
    /// <param name="order">How the store orders pending operations.</param>
    public static Task RunOnceAsync(PendingOrder order) => Interlocked.Exchange(ref _hasRun, 1) != 0
        ? Task.CompletedTask
        : RunAsync(new CommitState(version: 1, order, stripes: 1));

    /// <summary>Runs them on a state, which is at rest before and after.</summary>
    public static Task RunAsync(CommitState state) => BackgroundTasks.Run(() =>
    {
        var rehearsal = new CommitRehearsal(state);
        return new CommitPhases(state, [], rehearsal, rehearsal).RunAsync();
    });

    /// <inheritdoc/>
    public void Bump()
    {
    }

    // Not completed when it is awaited, as in a commit: what goes on later is compiled, too.
    /// <inheritdoc/>
    public Task SafeAsync() => BackgroundTasks.Run(static () => Thread.Sleep(1));

    /// <inheritdoc/>
    public Task SafeAtOnceAsync() => SafeAsync();

    /// <inheritdoc/>
    public Task UntilAsync(WaitGate gate, Func<bool> condition) =>
        gate.WaitForAsync(condition, CancellationToken.None);

    /// <inheritdoc/>
    public Task EnterAsync(SemaphoreSlim semaphore) => semaphore.WaitAsync();

    /// <inheritdoc/>
    public void Collect() => _steps.Collect();

    /// <inheritdoc/>
    public Task WatchAsync(CommitPhase phase, Task done) => _steps.WatchAsync(phase, done);

    /// <inheritdoc/>
    public Task PublishAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public (string? Name, long SerialNumber)? FindInUnit() => null;

    /// <inheritdoc/>
    public void ThrowIfUnitFailed()
    {
    }

    /// <inheritdoc/>
    public CommitPoint[] Collect(long version) => [];

    /// <inheritdoc/>
    public void OnPhase(CommitPhase phase)
    {
    }

    /// <inheritdoc/>
    public void OnFailed(Exception failure)
    {
    }

    /// <inheritdoc/>
    public void OnCommitted(long version, Action<Exception> onFault)
    {
    }

    /// <inheritdoc/>
    public void OnCommitted(Commit commit)
    {
    }

    /// <inheritdoc/>
    public void OnDurable(Commit commit, CommitRecord record)
    {
    }

    /// <inheritdoc/>
    public void OnFault(Exception fault)
    {
    }
}
