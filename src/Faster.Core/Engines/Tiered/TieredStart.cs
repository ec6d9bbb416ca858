using System.ComponentModel;

namespace Faster.Engines.Tiered;

/// <summary>What the opening of a tiered store hands to the store that emitted code makes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct TieredStart
{
    internal TieredStart(TieredPlan plan, IProgress<RecoveryProgress>? progress, CancellationToken ct) =>
        (Plan, Progress, Ct) = (plan, progress, ct);

    internal TieredPlan Plan { get; }

    internal IProgress<RecoveryProgress>? Progress { get; }

    internal CancellationToken Ct { get; }
}
