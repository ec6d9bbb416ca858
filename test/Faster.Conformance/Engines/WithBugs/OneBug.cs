using Faster.Contracts;

namespace Faster.Conformance.Engines.WithBugs;

/// <summary>
/// A probe with one bug at a time, the same in the whole process: stores over it behave as the bug does, whichever
/// thread works. Thread-safe; tests that use it run one after the other.
/// </summary>
internal readonly struct OneBug : IProbe
{
    private const int None = -1;

    private static volatile int s_now = None;

    /// <inheritdoc/>
    public static void Point(ProbePoint point)
    {
    }

    /// <inheritdoc/>
    public static bool Has(SeededBug bug) => (int)bug == s_now;

    /// <summary>Seeds a bug until what is returned is disposed of; null: none.</summary>
    public static IDisposable Seed(SeededBug? bug)
    {
        s_now = bug is { } seeded ? (int)seeded : None;
        return new Seeding();
    }

    private sealed class Seeding : IDisposable
    {
        public void Dispose() => s_now = None;
    }
}
