namespace Faster.Log;

/// <summary>How a step of a commit or of a truncation waits for the ones before it to be seen by everyone.</summary>
/// <remarks>
/// The order of such steps is a type of its own, which waits only through this: the store waits by tasks
/// (<see cref="StepWaits{TProbe}"/>), a test under the controlled scheduler by turns. Thread-safe.
/// </remarks>
internal interface IStepWaits
{
    /// <summary>Begins a new epoch, and waits for nothing.</summary>
    void Bump();

    /// <summary>Waits until everyone inside an epoch has entered it after this call.</summary>
    Task SafeAsync();

    /// <summary>Waits until a condition holds; what makes it true opens the gate afterwards.</summary>
    Task UntilAsync(WaitGate gate, Func<bool> condition);

    /// <summary>Enters a semaphore.</summary>
    Task EnterAsync(SemaphoreSlim semaphore);
}
