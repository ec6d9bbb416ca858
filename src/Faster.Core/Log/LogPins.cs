namespace Faster.Log;

/// <summary>Addresses that are being read outside every epoch: the log is not reclaimed from them on.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A pin that its owner has checked against the log's begin holds until it is disposed of: no space from its
/// address on is reclaimed.</item>
/// <item>A pin is in the list from <see cref="Take"/> to its disposal, once.</item>
/// </list>
/// <para>A reader pins before it reads the log's begin; truncation raises the begin before it reads the pins. Each side
/// has a full fence between its two steps, so at least one of them sees the other: a pin whose address turns out to lie
/// below the begin is released at once, and any other pin holds until it is released.</para>
/// <para>Thread-safe: a short lock. Not called inside an epoch.</para>
/// </remarks>
internal sealed class LogPins
{
    private readonly Lock _lock = new();
    private readonly List<Pin> _held = [];

    /// <summary>The lowest pinned address; <see cref="long.MaxValue"/> when there is none.</summary>
    public long LowestPinned
    {
        get
        {
            Interlocked.MemoryBarrier();
            lock (_lock) return _held.Count == 0 ? long.MaxValue : _held.Min(static pin => pin.Address);
        }
    }

    /// <summary>Called with the address of each pin that has been released, without the lock.</summary>
    public Action<long>? Released { get; set; }

    /// <summary>Pins the log from an address on.</summary>
    /// <returns>
    /// The pin. The caller must now read the log's begin, and dispose of the pin if the begin is above it.
    /// </returns>
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

        Released?.Invoke(pin.Address);
    }

    /// <summary>Pins an address until it is disposed of.</summary>
    public sealed class Pin(LogPins pins, long address) : IDisposable
    {
        /// <summary>The lowest address that its owner needs.</summary>
        public long Address => address;

        /// <summary>Releases the address. Idempotent.</summary>
        public void Dispose() => pins.Give(this);
    }
}
