using Faster.Contracts;
using Faster.Epochs;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations;

/// <summary>Finds the start of a hash's chain in the log, for walks outside any operation.</summary>
/// <remarks>
/// Thread-safe. Waits, outside the epoch, while the index is being resized, and for an entry on disk.
/// </remarks>
internal static unsafe class ChainStart
{
    /// <summary>The newest address of the log in the chain of a hash; 0 when there is none.</summary>
    /// <param name="tier">The tier.</param>
    /// <param name="slot">The caller's slot, which is not inside an epoch.</param>
    /// <param name="hash">The hash.</param>
    /// <exception cref="FasterException">The entry can't be read.</exception>
    public static long Of(Tier tier, EpochSlot* slot, ulong hash)
    {
        for (;;)
        {
            tier.Core.Epochs.Enter(slot);
            Outcome located = tier.Entries.FindChain(hash, out long address);
            if (address < 0) address = tier.Cache!.Behind(address);
            tier.Core.Epochs.Leave(slot);
            if (located <= Outcome.NotFound) return address;
            if (located == Outcome.EntryOnDisk) ReadEntry(tier, hash);
            else if (Helps(tier, slot)) tier.Log.WaitForSpace();
        }
    }

    private static bool Helps(Tier tier, EpochSlot* slot)
    {
        tier.Entries.HelpResize(slot, out bool lacksSpace);
        return lacksSpace;
    }

    private static void ReadEntry(Tier tier, ulong hash)
    {
        var read = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        tier.Entries.ReadEntry(hash, error =>
        {
            if (error is null) read.SetResult();
            else read.SetException(error);
        });
        _ = Probe.On && Probe.Wait(() => read.Task.IsCompleted);
        read.Task.GetAwaiter().GetResult();
    }
}
