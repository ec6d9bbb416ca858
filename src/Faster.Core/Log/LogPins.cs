namespace Faster.Log;

/// <summary>
/// Addresses of a log that somebody still reads from outside every epoch: the log is not given back from them on.
/// </summary>
/// <remarks>
/// <para>Who reads pins first and looks at the log's begin then; who truncates raises the begin first and looks at the
/// pins then. Each has a full fence between, so one of the two sees the other: a pin whose address turns out to lie
/// below the begin is given back at once, and any other one holds until it is given back.</para>
/// <para>Thread-safe: a short lock. Not called inside an epoch.</para>
/// </remarks>
internal sealed class LogPins
{
    private readonly Lock _lock = new();
    private readonly List<Pin> _held = [];

    /// <summary>The lowest address that is pinned; <see cref="long.MaxValue"/> when none is.</summary>
    public long LowestPinned
    {
        get
        {
            Interlocked.MemoryBarrier();
            lock (_lock) return _held.Count == 0 ? long.MaxValue : _held.Min(static pin => pin.Address);
        }
    }

    /// <summary>Opened whenever a pin has been given back: where a truncation waits.</summary>
    public WaitGate Gate { get; } = new();

    /// <summary>Pins what lies at an address and above.</summary>
    /// <returns>The pin; look at the log's begin now, and dispose of the pin when it is above the address.</returns>
    public Pin Take(long address)
    {
        var pin = new Pin(this, address);
        lock (_lock) _held.Add(pin);
        Interlocked.MemoryBarrier();
        return pin;
    }

    private void Give(Pin pin)
    {
        lock (_lock)
        {
            if (!_held.Remove(pin)) return;
        }

        Gate.Open();
    }

    /// <summary>Holds an address until it is disposed of.</summary>
    public sealed class Pin(LogPins pins, long address) : IDisposable
    {
        /// <summary>The lowest address that is needed.</summary>
        public long Address => address;

        /// <summary>Gives the address back. Idempotent.</summary>
        public void Dispose() => pins.Give(this);
    }
}
