using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// What operations do in passing for the collection of garbage (paper 000, App. C): entries that lead below the log's
/// begin are removed, and records that have been superseded are marked.
/// </summary>
/// <remarks>
/// <para>Both are best effort. An entry that stays costs room in the index; a record without the mark costs compaction
/// a look at its chain. Neither is done twice.</para>
/// <para>Why an entry may go: addresses fall along a chain, so if the newest record lies below the begin, all do; and
/// whoever links a record meanwhile has changed the word. Why a mark may be set: the newer record is linked, and the
/// header is unlatched, so that nobody owns it. A record in the fuzzy region may be marked while somebody who has seen
/// an older read-only address updates it: that one is ordered before the newer record, as it would be without the
/// mark.</para>
/// <para>Under the caller's epoch; thread-safe.</para>
/// </remarks>
internal static unsafe class ChainUpkeep<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>A key was not found: its entry goes, if it leads to nothing.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="bucket">The first bucket of the entry's chain.</param>
    /// <param name="slot">The entry, or null.</param>
    /// <param name="word">What it held when the chain was walked.</param>
    public static Outcome NotFound(Attempt<TProbe> attempt, HashBucket* bucket, ulong* slot, ulong word)
    {
        // In a frozen chain each entry serves many keys, and none comes after it.
        if (slot == null || attempt.Log.Splices || HashBucket.IsFrozen(bucket)) return Outcome.NotFound;
        long newest = EntryWord.AddressOf(word);
        if (!TProbe.Has(SeededBug.RemovalIgnoresCached)) newest = attempt.Cache.Behind(newest);
        if (newest < attempt.Log.BeginAddress) HashIndex<TProbe>.TryRemove(slot, word);
        return Outcome.NotFound;
    }

    /// <summary>A record has been linked in front of a chain: the one that it supersedes is marked.</summary>
    /// <param name="log">The log.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="at">Where the new record was linked.</param>
    public static Outcome Linked<TKey>(
        RecordAllocator<TProbe> log, scoped TKey key, ulong hash, in ChainPosition at)
        where TKey : struct, IKey, allows ref struct
    {
        long address = at.Chain, head = log.HeadAddress;
        if (at.Record != null || log.Splices || address < head) return Outcome.Ok;
        byte* record = log.Find(key, hash, head, ref address, out ulong header);
        if (record != null && (header & (RecordHeader.Latch | RecordHeader.Sealed)) == 0)
            RecordHeader.TryReplace(record, header, header | RecordHeader.Sealed);
        return Outcome.Ok;
    }
}
