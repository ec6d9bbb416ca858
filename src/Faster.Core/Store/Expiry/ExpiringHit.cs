using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Finds the record of an update that mostly suffices in a store whose records may expire: the newest of its chain, in
/// the mutable region, alive, and latched then (docs/EXPIRY.md).
/// </summary>
/// <remarks>
/// It decides nothing that is not good news: what is dead, dying or latched is left to the protocol, which searches
/// again. Thread-safe; under the session's quiet epoch.
/// </remarks>
internal static unsafe class ExpiringHit<TProbe>
    where TProbe : struct, IProbe
{
    private const ulong Unfit = RecordHeader.NotUpdated | RecordHeader.Delta;

    /// <summary>Looks at the record that an index entry leads to, and takes its latch.</summary>
    /// <param name="attempt">The attempt, which holds the latch then.</param>
    /// <param name="key">The key.</param>
    /// <param name="word">The entry.</param>
    /// <param name="at">The record: a whole value that is alive by the store's time.</param>
    /// <returns>False, and nothing is held: it is not such a record, or somebody has its latch.</returns>
    public static bool TryHold<TKey>(Attempt<TProbe> attempt, scoped TKey key, ulong word, out ChainPosition at)
        where TKey : struct, IKey, allows ref struct
    {
        at = default;
        RecordAllocator<TProbe> log = attempt.Log;
        long address = HashIndex<TProbe>.AddressOf(word);
        if (address < attempt.MutableFrom) return false;
        byte* record = log.Pointer(address);
        attempt.Clock.BeginSearch();
        if ((RecordHeader.Read(record) & Unfit) != 0 || !key.Matches(record + RecordHeader.Size)) return false;
        if (!attempt.TryLatch(record, out at.Header)) return false;
        at.Record = record;
        at.Address = address;
        at.Value = RecordExpiry.Value(record, at.Header, key.SlotSize, out at.Expiry);
        if ((at.Header & Unfit) == 0 && attempt.Clock.Judge(at.Expiry) == Outcome.Ok) return true;
        attempt.Unlatch(record, at.Header);
        return false;
    }
}
