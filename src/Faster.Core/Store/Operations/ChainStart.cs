using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Tiers;

namespace Faster.Store.Operations;

/// <summary>Finds the start of a hash's chain in the log, for walks outside any operation.</summary>
/// <remarks>Thread-safe. Waits, outside the epoch, while the index is being resized.</remarks>
internal static unsafe class ChainStart
{
    /// <summary>The newest address of the log in the chain of a hash; 0 when there is none.</summary>
    /// <param name="tier">The tier.</param>
    /// <param name="slot">The caller's slot, which is not inside an epoch.</param>
    /// <param name="hash">The hash.</param>
    public static long Of<TProbe>(Tier<TProbe> tier, EpochSlot* slot, ulong hash)
        where TProbe : struct, IProbe
    {
        for (;;)
        {
            tier.Core.Epochs.Enter(slot);
            bool located = TryFindUnderEpoch(tier.Index, hash, out long address);
            if (address < 0) address = tier.Cache!.Behind(address);
            tier.Core.Epochs.Leave(slot);
            if (located) return address;
            tier.Index.HelpResize(slot, out bool lacksSpace);
            if (lacksSpace) tier.Log.WaitForSpace();
        }
    }

    /// <summary>Finds the chain address in the entry of a hash; a negative address is one of the read cache.</summary>
    /// <returns>False when a resize is in the way.</returns>
    public static bool TryFindUnderEpoch<TProbe>(HashIndex<TProbe> index, ulong hash, out long address)
        where TProbe : struct, IProbe
    {
        return index.FindChain(hash, out address) <= Outcome.NotFound;
    }
}
