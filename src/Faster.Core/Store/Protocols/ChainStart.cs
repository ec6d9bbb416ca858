using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;

namespace Faster;

/// <summary>Where the chain of a hash begins in the log, for those who walk it without an operation.</summary>
/// <remarks>Thread-safe; waits, outside the epoch, for an index that is being resized.</remarks>
internal static unsafe class ChainStart
{
    /// <summary>The newest address of the log in the chain of a hash; 0 when there is none.</summary>
    /// <param name="store">The store.</param>
    /// <param name="slot">The caller's slot; not inside its epoch.</param>
    /// <param name="hash">The hash.</param>
    public static long Of<TProbe>(FasterStore<TProbe> store, EpochSlot* slot, ulong hash)
        where TProbe : struct, IProbe
    {
        for (;;)
        {
            store.Epochs.Enter(slot);
            bool located = TryFindUnderEpoch(store.Index, hash, out long address);
            if (address < 0) address = store.Cache!.Behind(address);
            store.Epochs.Leave(slot);
            if (located) return address;
            store.Index.HelpResize(slot, out bool lacksRoom);
            if (lacksRoom) store.Log.WaitForRoom();
        }
    }

    /// <summary>The chain address in the entry of a hash; negative when it is one of the read cache.</summary>
    /// <returns>False: a resize is in the way.</returns>
    public static bool TryFindUnderEpoch<TProbe>(HashIndex<TProbe> index, ulong hash, out long address)
        where TProbe : struct, IProbe
    {
        address = 0;
        if (!index.TryLocate(hash, out BucketRef bucket)) return false;
        ulong* entry = HashIndex<TProbe>.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
        if (entry != null) address = HashIndex<TProbe>.AddressOf(word);
        index.Unpin(bucket);
        return true;
    }
}
