using Faster.Probes;
using Faster.Tests.Index.Entries;

namespace Faster.Tests.Scheduling;

/// <summary>The probe that passes each point to the controlled scheduler of the calling thread.</summary>
/// <remarks>
/// The scheduler is found by a thread-static field: what a scheduled thread begins on other threads has this probe,
/// too, but is not scheduled. There points do nothing and no bug is turned on.
/// </remarks>
internal sealed class ScheduledProbe : IProbe
{
    private static readonly ScheduledProbe _instance = new();

    [ThreadStatic]
    private static ScheduledThread? _current;

    /// <inheritdoc/>
    public bool TakesTurns => _current is not null;

    /// <summary>
    /// Sets what runs while the calling thread, which has no scheduler, waits: the steps of the other threads; or null.
    /// </summary>
    public static void WaitAlone(Action? step)
    {
        LoneThread.Step = step;
        Probe.Current = _instance;
    }

    /// <summary>Ties the calling thread to a scheduler, or (null) unties it.</summary>
    public static void Attach(ScheduledThread? thread)
    {
        _current = thread;
        Probe.Current = _instance;
    }

    /// <inheritdoc/>
    public void Point(ProbePoint point) => _current?.Reached(point);

    /// <inheritdoc/>
    public bool Wait(Func<bool>? until)
    {
        if (_current is { } thread && thread.Wait(until)) return true;
        if (LoneThread.Step is not { } step) return false;
        LoneThread.Step = null; // the step itself does not wait
        try
        {
            do step();
            while (until is not null && !until());
        }
        finally
        {
            LoneThread.Step = step;
        }

        return true;
    }

    /// <inheritdoc/>
    public bool Has(SeededBug bug) => _current is { } thread && thread.Has(bug);
}
