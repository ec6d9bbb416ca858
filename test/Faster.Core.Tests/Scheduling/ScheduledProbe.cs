using Faster.Contracts;

namespace Faster.Tests.Scheduling;

/// <summary>The probe that hands each point of a protocol to the controlled scheduler of the calling thread.</summary>
/// <remarks>
/// The scheduler is found by a thread-static field, so that explorations in parallel tests do not mix. On any other
/// thread points do nothing and no bug is sown.
/// </remarks>
internal struct ScheduledProbe : IProbe
{
    [ThreadStatic]
    private static ScheduledThread? _current;

    /// <inheritdoc/>
    public static void Point(ProbePoint point) => _current?.Reached(point);

    /// <inheritdoc/>
    public static bool Has(SeededBug bug) => _current is { } thread && thread.Has(bug);

    /// <summary>Ties the calling thread to a scheduler, or (null) unties it.</summary>
    public static void Attach(ScheduledThread? thread) => _current = thread;
}
