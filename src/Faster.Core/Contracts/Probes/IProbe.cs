namespace Faster.Contracts;

/// <summary>
/// The eyes and hands of a test inside a latch-free protocol: yield points for a controlled scheduler, and seeded
/// bugs that the scheduler must find.
/// </summary>
/// <remarks>
/// Every class that holds a latch-free protocol takes a <c>TProbe : struct, IProbe</c>. Shipped code is closed over
/// <see cref="NoProbe"/>, whose members are constants: the JIT erases both the points and the bugs, so that the source
/// under test is the source that ships.
/// </remarks>
public interface IProbe
{
    /// <summary>A step of shared memory is about to be taken; a scheduler may run another thread first.</summary>
    static abstract void Point(ProbePoint point);

    /// <summary>A thread is about to block, outside every epoch; a scheduler may let it wait in its own way.</summary>
    /// <param name="until">What it waits for; null when it looks again after some time, whatever happens.</param>
    /// <returns>Whether the scheduler has waited; false: the caller blocks.</returns>
    static virtual bool Wait(Func<bool>? until) => false;

    /// <summary>
    /// Whether the calling thread and all it shares memory with take turns: each sees what was written before its turn,
    /// without a process-wide barrier.
    /// </summary>
    static virtual bool TakesTurns => false;

    /// <summary>Whether the protocol should misbehave in the named way. Always false outside tests.</summary>
    static abstract bool Has(SeededBug bug);
}

/// <summary>The probe of shipped code: no points, no bugs, no cost.</summary>
public readonly struct NoProbe : IProbe
{
    /// <inheritdoc/>
    public static void Point(ProbePoint point) { }

    /// <inheritdoc/>
    public static bool Has(SeededBug bug) => false;
}
