using Faster.Log;
using Faster.Log.Large;
using Faster.Probes;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Operations.Large;

/// <summary>Access to a store's log for code that writes and reads values in fragments.</summary>
internal static class FragmentAccess
{
    /// <summary>Begins to write the fragments of a value; <paramref name="hash"/> is the hash of its key.</summary>
    public static FragmentWriter WriteFragments(this Tier tier, ulong hash) =>
        new(tier.Core.Epochs, tier.PagedLog!, tier.Core.Commits.Current.OperationVersion, hash);

    /// <summary>Begins to read the fragments of a value; null when a truncation has removed some of them.</summary>
    public static LargeReader? ReadFragments(this Tier tier, in LargeHead head) =>
        LargeReader.TryOpen(tier.Core.Epochs, tier.PagedLog!, tier.Reader!, head);

    /// <summary>Completes when the log may have space again.</summary>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public static async Task SpaceAsync(this Tier tier, CancellationToken ct)
    {
        await tier.ThrowIfLogFailedAsync(ct).Here();
        var space = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        tier.PagedLog!.Park(() => space.TrySetResult());
        if (Probe.On && Probe.Wait(() => space.Task.IsCompleted)) return;
        await space.Task.OrCanceled(ct).Here();
    }
}
