namespace Faster.Probes;

/// <summary>What a test does at the points of an algorithm, and which bugs it turns on.</summary>
public interface IProbe
{
    /// <summary>
    /// Whether the calling thread and all threads that it shares memory with run one at a time: each sees what was
    /// written before its turn, without a process-wide barrier.
    /// </summary>
    bool TakesTurns => false;

    /// <summary>Called before an access to shared memory; a scheduler may run another thread first.</summary>
    /// <param name="point">The access.</param>
    void Point(ProbePoint point)
    {
    }

    /// <summary>
    /// Called before a thread blocks, outside every epoch; a scheduler may make it wait in its own way.
    /// </summary>
    /// <param name="until">
    /// The condition that the thread waits for; null if it checks again after some time regardless.
    /// </param>
    /// <returns>Whether the scheduler has waited; if false, the caller blocks.</returns>
    bool Wait(Func<bool>? until) => false;

    /// <summary>Whether the algorithm should behave as the named bug does.</summary>
    /// <param name="bug">The bug.</param>
    bool Has(SeededBug bug) => false;
}
