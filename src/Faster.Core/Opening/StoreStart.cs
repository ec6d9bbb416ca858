using System.ComponentModel;

namespace Faster.Opening;

/// <summary>What the opening of a FASTER store hands to the store that emitted code makes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoreStart
{
    internal StoreStart(StorePlan plan, IProgress<RecoveryProgress>? progress, CancellationToken ct) =>
        (Plan, Progress, Ct) = (plan, progress, ct);

    internal StorePlan Plan { get; }

    internal IProgress<RecoveryProgress>? Progress { get; }

    internal CancellationToken Ct { get; }
}
