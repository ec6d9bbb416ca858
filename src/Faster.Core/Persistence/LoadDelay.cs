using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Faster.Persistence;

/// <summary>
/// By how much a load from a region takes longer than one from ordinary memory, where that is emulated (001 §1: 300
/// instead of 150 ns). Immutable.
/// </summary>
internal readonly struct LoadDelay
{
    private readonly long _ticks;

    /// <summary>Creates a delay.</summary>
    public LoadDelay(TimeSpan delay)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(delay, TimeSpan.Zero);
        _ticks = Ticks(delay);
    }

    /// <summary>A time in units of <see cref="Stopwatch"/>, rounded up.</summary>
    public static long Ticks(TimeSpan time) => (long)Math.Ceiling(time.TotalSeconds * Stopwatch.Frequency);

    /// <summary>Spins for a number of units.</summary>
    public static void Spin(long ticks)
    {
        long end = Stopwatch.GetTimestamp() + ticks;
        while (Stopwatch.GetTimestamp() < end) { }
    }

    /// <summary>
    /// Called before a load that depends on the one before it, and is likely not in the processor's cache.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Wait()
    {
        if (_ticks != 0) Spin(_ticks);
    }
}
