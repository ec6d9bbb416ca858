using Faster.Probes;

namespace Faster.Persistence;

/// <summary>
/// A thread that is blocked until it is woken. Each has a lock of its own, so that those of one sync do not wake one
/// after another.
/// </summary>
/// <remarks>
/// <see cref="Begin"/> and <see cref="Sleep"/> are the thread's own; another one calls <see cref="Wake"/>, once for
/// each begin, before the sleep or after.
/// </remarks>
internal sealed class Sleeper
{
    [ThreadStatic]
    private static Sleeper? _ofThread;

    private readonly object _gate = new();
    private bool _isAwake;

    /// <summary>The calling thread's.</summary>
    public static Sleeper OfThread => _ofThread ??= new Sleeper();

    /// <summary>Forgets earlier wakes.</summary>
    public void Begin() => Volatile.Write(ref _isAwake, false);

    /// <summary>Blocks until the thread is woken.</summary>
    public void Sleep()
    {
        if (Probe.On && Probe.Wait(() => Volatile.Read(ref _isAwake))) return;
        lock (_gate)
        {
            while (!_isAwake) Monitor.Wait(_gate);
        }
    }

    /// <summary>Wakes the thread.</summary>
    public void Wake()
    {
        lock (_gate)
        {
            _isAwake = true;
            Monitor.Pulse(_gate);
        }
    }
}
