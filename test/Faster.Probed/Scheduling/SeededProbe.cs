using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>A probe with one bug, whichever thread works for the test that seeds it.</summary>
/// <param name="bug">The bug.</param>
internal sealed class SeededProbe(SeededBug bug) : IProbe
{
    /// <summary>
    /// Seeds a bug in the caller's flow of control, and in all that it begins, until what is returned is disposed of.
    /// </summary>
    /// <param name="bug">The bug.</param>
    public static IDisposable Seed(SeededBug bug)
    {
        var seeding = new Seeding(Probe.Current);
        Probe.Current = new SeededProbe(bug);
        return seeding;
    }

    /// <inheritdoc/>
    public bool Has(SeededBug asked) => asked == bug;

    private sealed class Seeding(IProbe? before) : IDisposable
    {
        public void Dispose() => Probe.Current = before;
    }
}
