namespace Faster.Conformance.Histories;

/// <summary>
/// Stretches operations from within: the user functions of stores under test call <see cref="Point"/>, where a thread
/// that plays a history lingers or yields. Without it, operations of a microsecond hardly ever overlap on a machine of
/// few cores, and a history of operations that do not overlap shows little.
/// </summary>
/// <remarks>The state is thread-local. Threads that play no history pass without delay.</remarks>
internal static class Interleaving
{
    [ThreadStatic]
    private static uint _state;

    /// <summary>Makes this thread linger at points, by a seed; 0 ends it.</summary>
    public static void Seed(int seed) => _state = (uint)seed * 2_654_435_761;

    /// <summary>A point inside an operation.</summary>
    public static void Point()
    {
        uint state = _state;
        if (state == 0) return;
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        _state = state;
        if ((state & 0x300) == 0) Thread.Yield();
        else Thread.SpinWait((int)(state & 63));
    }
}
