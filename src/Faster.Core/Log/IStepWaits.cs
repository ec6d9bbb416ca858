namespace Faster.Log;

/// <summary>How a step of a commit or of a truncation waits until every session has seen the steps before it.</summary>
/// <remarks>
/// The order of such steps is a type of its own, which waits only through this interface: the store waits by tasks
/// (<see cref="StepWaits"/>), a test by the turns of the controlled scheduler. Thread-safe.
/// </remarks>
internal interface IStepWaits
{
    /// <summary>Bumps the epoch without waiting.</summary>
    void Bump();

    /// <summary>Waits until every session inside an epoch has entered it after this call.</summary>
    Task SafeAsync();

    /// <summary>
    /// As <see cref="SafeAsync"/>, but what follows need not wait for a thread: it may run on the one that was the last
    /// to leave, a session's, and so must be short, take only short locks, and wait for no epoch.
    /// </summary>
    Task SafeAtOnceAsync();

    /// <summary>Waits until a condition holds; the code that makes it true signals the gate afterwards.</summary>
    Task UntilAsync(WaitGate gate, Func<bool> condition);

    /// <summary>Enters a semaphore.</summary>
    Task EnterAsync(SemaphoreSlim semaphore);
}
