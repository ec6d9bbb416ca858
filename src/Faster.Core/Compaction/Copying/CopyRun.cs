using Faster.Compaction.Large;
using Faster.Operations.Merging;

namespace Faster.Compaction.Copying;

/// <summary>What the threads of one run of a compaction share. Thread-safe as far as its parts are.</summary>
/// <param name="route">From where to where.</param>
/// <param name="begin">The start of the compacted range.</param>
/// <param name="frontier">The pages of the range.</param>
internal sealed class CopyRun(CopyRoute route, long begin, PageFrontier frontier) : IDisposable
{
    /// <summary>From where to where.</summary>
    public CopyRoute Route => route;

    /// <summary>The pages of the range.</summary>
    public PageFrontier Frontier => frontier;

    /// <summary>The values that begin in the range and whose records have not been met.</summary>
    public LargeHeads Heads { get; } = new(route.From, begin, CopyThread.Owner);

    /// <summary>The deltas that are kept from being updated while their keys are collapsed.</summary>
    public HeldDeltas Held { get; } = new(route.From.Core.Epochs, route.From.Log);

    /// <inheritdoc/>
    public void Dispose() => Heads.Dispose();
}
