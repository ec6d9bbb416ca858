using Faster.Epochs;

namespace Faster.Log;

/// <summary>Waits by tasks, without blocking a thread. Thread-safe.</summary>
/// <param name="epochs">The store's epochs.</param>
internal sealed class StepWaits(EpochTable epochs) : IStepWaits
{
    /// <inheritdoc/>
    public void Bump() => epochs.Bump(static () => { });

    /// <inheritdoc/>
    public Task SafeAsync() => epochs.SafeAsync();

    /// <inheritdoc/>
    public Task SafeAtOnceAsync()
    {
        var safe = new TaskCompletionSource(); // what awaits it is part of the action, as far as it does not wait
        epochs.Bump(safe.SetResult);
        return safe.Task;
    }

    /// <inheritdoc/>
    public Task UntilAsync(WaitGate gate, Func<bool> condition) =>
        gate.WaitForAsync(condition, CancellationToken.None);

    /// <inheritdoc/>
    public Task EnterAsync(SemaphoreSlim semaphore) => semaphore.WaitAsync();
}
