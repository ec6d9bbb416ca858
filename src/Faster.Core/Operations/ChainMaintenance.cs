using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// What operations do in passing for the reclamation of the log (paper 000, App. C): they remove entries that lead
/// below Begin, and mark records that have been superseded.
/// </summary>
/// <remarks>
/// <para>Both are best effort. An entry that stays takes space in the index; a record without the mark costs compaction
/// a lookup in its chain. Neither is repeated; an upsert beside a commit marks nothing.</para>
/// <para>Why an entry may be removed: addresses fall along a chain, so if the newest record lies below Begin, all do;
/// and a thread that links a record meanwhile has changed the word. Why a mark may be set: the newer record is linked,
/// and the header is unlatched, so no thread owns it. A record in the fuzzy region may be marked while a thread that
/// has seen an older read-only address updates it: that update is ordered before the newer record, as it would be
/// without the mark.</para>
/// <para>Called under the caller's epoch. Thread-safe.</para>
/// </remarks>
internal static unsafe class ChainMaintenance
{
    /// <summary>Removes the entry of a key that was not found, if it leads to no valid record.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="entry">The entry, if there is one, as it was when the chain was walked.</param>
    public static Outcome NotFound<TEntries>(Attempt attempt, in EntryRef entry)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        TEntries entries = attempt.Entries<TEntries>();
        if (!entry.Exists || attempt.Log.Splices || entries.IsShared(entry)) return Outcome.NotFound;
        long newest = entry.Address;
        if (!(Probe.On && Probe.Has(SeededBug.RemovalIgnoresCached))) newest = attempt.Cache.Behind(newest);
        if (newest < attempt.Log.BeginAddress) _ = entries.Remove(entry);
        return Outcome.NotFound;
    }

    /// <summary>Marks the record that a newly linked one supersedes.</summary>
    /// <param name="log">The log.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="at">The position at which the new record was linked.</param>
    public static Outcome Linked<TKey>(
        RecordAllocator log, scoped TKey key, ulong hash, in ChainPosition at)
        where TKey : struct, IKey, allows ref struct
    {
        long address = at.Rest, head = log.HeadAddress;
        if (at.Record != null || log.Splices || address < head) return Outcome.Ok;
        byte* record = log.Find(key, hash, head, ref address, out ulong header);
        if (record != null && (header & (RecordHeader.Latch | RecordHeader.Sealed)) == 0)
            RecordHeader.TryReplace(record, header, header | RecordHeader.Sealed);
        return Outcome.Ok;
    }
}
