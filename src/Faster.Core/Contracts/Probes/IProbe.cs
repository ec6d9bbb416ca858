using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Gives a test access to a latch-free algorithm: points at which a controlled scheduler may switch threads, and seeded
/// bugs that the scheduler must find.
/// </summary>
/// <remarks>
/// Every class that implements a latch-free algorithm takes a <c>TProbe : struct, IProbe</c>. Shipped code is
/// instantiated with <see cref="NoProbe"/>, whose members are constants: the JIT removes both the points and the bugs,
/// so the source under test is the source that ships.
/// <para>
/// The interface is public because emitted code names engine types over <see cref="NoProbe"/>. Its members are
/// internal: only this assembly and its tests see the points and the bugs, or implement a probe.
/// </para>
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IProbe
{
    /// <summary>Called before an access to shared memory; a scheduler may run another thread first.</summary>
    internal static abstract void Point(ProbePoint point);

    /// <summary>
    /// Called before a thread blocks, outside every epoch; a scheduler may make it wait in its own way.
    /// </summary>
    /// <param name="until">
    /// The condition that the thread waits for; null if it checks again after some time regardless.
    /// </param>
    /// <returns>Whether the scheduler has waited; if false, the caller blocks.</returns>
    internal static virtual bool Wait(Func<bool>? until) => false;

    /// <summary>
    /// Whether the calling thread and all threads that it shares memory with run one at a time: each sees what was
    /// written before its turn, without a process-wide barrier.
    /// </summary>
    internal static virtual bool TakesTurns => false;

    /// <summary>
    /// Returns whether the algorithm should behave as the named bug does. Always false outside tests.
    /// </summary>
    internal static abstract bool Has(SeededBug bug);
}

/// <summary>The probe of shipped code: no points, no bugs, no cost.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct NoProbe : IProbe
{
    static void IProbe.Point(ProbePoint point) { }

    static bool IProbe.Has(SeededBug bug) => false;
}
