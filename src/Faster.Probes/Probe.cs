using System.Diagnostics;

namespace Faster.Probes;

/// <summary>
/// Gives a test access to a latch-free algorithm: points at which a controlled scheduler may switch threads, and seeded
/// bugs that tests must find. The source under test is the source that ships, compiled with PROBES.
/// </summary>
/// <remarks>
/// <para>Without PROBES the compiler drops every call of <see cref="Point"/>, and all that follows <see cref="On"/>:
/// what ships has no trace of a point or a bug. So every other use stands behind <c>Probe.On &amp;&amp;</c>.</para>
/// <para>With PROBES, a flow of control sees the probe that it, or what began it, was given (<c>Current</c>): the tests
/// of one process have their own, and so have the threads and tasks that a store begins. Threads that serve several
/// stores begin with none, and see the probe of the task that they run.</para>
/// </remarks>
public static class Probe
{
#if PROBES
    /// <summary>Whether probes are compiled in.</summary>
    public const bool On = true;

    private static readonly AsyncLocal<IProbe?> _current = new();

    /// <summary>The probe of the calling flow of control; null for none.</summary>
    public static IProbe? Current
    {
        get => _current.Value;
        set => _current.Value = value;
    }

    /// <inheritdoc cref="IProbe.TakesTurns"/>
    public static bool TakesTurns => Current is { TakesTurns: true };

    /// <inheritdoc cref="IProbe.Point"/>
    public static void Point(ProbePoint point) => Current?.Point(point);

    /// <inheritdoc cref="IProbe.Wait"/>
    public static bool Wait(Func<bool>? until) => Current is { } probe && probe.Wait(until);

    /// <inheritdoc cref="IProbe.Has"/>
    public static bool Has(SeededBug bug) => Current is { } probe && probe.Has(bug);
#else
    /// <summary>Whether probes are compiled in.</summary>
    public const bool On = false;

    /// <inheritdoc cref="IProbe.TakesTurns"/>
    public static bool TakesTurns => false;

    /// <inheritdoc cref="IProbe.Point"/>
    [Conditional("PROBES")]
    public static void Point(ProbePoint point) { }

    /// <inheritdoc cref="IProbe.Wait"/>
    public static bool Wait(Func<bool>? until) => false;

    /// <inheritdoc cref="IProbe.Has"/>
    public static bool Has(SeededBug bug) => false;
#endif
}
