using Faster.Probes;

namespace Faster.Tests.LogCommits;

/// <summary>The probe of a test that stops its store in a phase of a commit.</summary>
internal sealed class PhaseProbe : IProbe
{
    private volatile HeldPhase? _held;

    /// <summary>What stops the store; null for nothing.</summary>
    public HeldPhase? Held
    {
        set => _held = value;
    }

    /// <inheritdoc/>
    public void Point(ProbePoint point) => _held?.Look();
}
