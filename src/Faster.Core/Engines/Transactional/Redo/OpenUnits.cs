using Faster.Log;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Engines.Transactional.Redo;

/// <summary>
/// The units that are open and have published something: what is published behind it may have been built on it, and so
/// is not acknowledged before they have ended.
/// </summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class OpenUnits
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(20); // a unit may fail meanwhile

    private readonly Lock _lock = new();
    private readonly SortedSet<long> _open = [];
    private readonly WaitGate _gate = new();
    private long _last;                   // that has begun
    private long _first = long.MaxValue;  // that is open

    /// <summary>Whether any is open.</summary>
    public bool IsAny => Volatile.Read(ref _first) != long.MaxValue;

    /// <summary>Notes a unit before it publishes its first record.</summary>
    /// <returns>Its number.</returns>
    public long Begin()
    {
        lock (_lock)
        {
            _open.Add(++_last);
            Volatile.Write(ref _first, _open.Min);
            return _last;
        }
    }

    /// <summary>Notes that a unit has published that it is whole.</summary>
    public void End(long number)
    {
        lock (_lock)
        {
            _open.Remove(number);
            Volatile.Write(ref _first, _open.Count == 0 ? long.MaxValue : _open.Min);
        }

        _gate.Signal();
    }

    /// <summary>Waits until all have ended that are open now.</summary>
    /// <param name="check">Called from time to time; throws if one will not end.</param>
    /// <param name="limit">How long.</param>
    /// <exception cref="FasterException">One is open for longer.</exception>
    public void Wait(Action check, TimeSpan limit)
    {
        var clock = new WaitClock(limit);
        long last;
        lock (_lock) last = _last;
        bool HaveEnded() => Volatile.Read(ref _first) > last;
        while (!HaveEnded())
        {
            check();
            if (clock.IsOver) throw Stalled(limit);
            if (!(Probe.On && Probe.Wait(HaveEnded))) _gate.Wait(HaveEnded, Tick);
        }
    }

    private static FasterException Stalled(TimeSpan limit) => new(
        ErrorReason.Stalled,
        $"An operation is carried out, and has not been acknowledged for {limit.TotalSeconds:0.#} s: a unit of another "
        + "session is open, on which it may have been built. Whether it is durable is not known. Make units shorter, "
        + "and end them before the same thread uses another session.");
}
