using Faster.Contracts;

namespace Faster.Tests.Scheduling;

/// <summary>The probe that passes each point to the controlled scheduler of the calling thread.</summary>
/// <remarks>
/// The scheduler is found by a thread-static field, so that explorations in parallel tests do not mix. On any other
/// thread points do nothing and no bug is turned on.
/// </remarks>
internal struct ScheduledProbe : IProbe
{
    [ThreadStatic]
    private static ScheduledThread? _current;

    [ThreadStatic]
    private static Action? _whileAlone;

    /// <inheritdoc/>
    public static void Point(ProbePoint point) => _current?.Reached(point);

    /// <inheritdoc/>
    public static bool Wait(Func<bool>? until)
    {
        if (_current is { } thread && thread.Wait(until)) return true;
        if (_whileAlone is not { } step) return false;
        _whileAlone = null; // the step itself does not wait
        try
        {
            do step();
            while (until is not null && !until());
        }
        finally
        {
            _whileAlone = step;
        }

        return true;
    }

    /// <summary>
    /// Sets what runs while the calling thread, which has no scheduler, waits: the steps of the other threads; or null.
    /// </summary>
    public static void WaitAlone(Action? step) => _whileAlone = step;

    /// <inheritdoc/>
    public static bool TakesTurns => _current is not null;

    /// <inheritdoc/>
    public static bool Has(SeededBug bug) => _current is { } thread && thread.Has(bug);

    /// <summary>Ties the calling thread to a scheduler, or (null) unties it.</summary>
    public static void Attach(ScheduledThread? thread) => _current = thread;
}
