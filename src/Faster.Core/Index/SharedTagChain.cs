using System.Runtime.CompilerServices;
using Faster.Index.Trimming;
using Faster.Probes;

namespace Faster.Index;

/// <summary>
/// A bucket chain with shared tags: it takes no new tags, since the index has reached its limit. A tag without an entry
/// shares the entry of the next larger tag, and the records distinguish the keys.
/// </summary>
/// <remarks>
/// <para>Invariants, from the first time that an operation shares an entry:</para>
/// <list type="bullet">
/// <item>No entry becomes final, except one that is alone in its chain.</item>
/// <item>An entry is removed only when its records are all dead.</item>
/// </list>
/// <para>So a key's records lie where its tag leads, at any time. The proof is in docs/internals/shared-tags.md.</para>
/// <para>Latch-free, under the caller's epoch.</para>
/// </remarks>
internal static unsafe class SharedTagChain
{
    private const ulong ExactTag = EntryWord.TagMask;

    /// <summary>
    /// Makes a chain share tags. The slots of inserts in progress in the chain must still be released by
    /// <see cref="ClearTentative"/>; an operation that shares an entry ensures that first.
    /// </summary>
    /// <returns>Whether this call made it share tags; false when it already did.</returns>
    public static bool ShareTags(HashBucket* first) =>
        (Interlocked.Or(ref first->Overflow, HashBucket.SharedTags) & HashBucket.SharedTags) == 0;

    /// <summary>The bits by which two entries must differ: all tags are equal in a chain with shared tags.</summary>
    public static ulong Distinct(bool sharesTags) =>
        sharesTags && !(Probe.On && Probe.Has(SeededBug.EmptiedSharedByTag)) ? 0 : ExactTag;

    /// <summary>
    /// The slot of the entry that a tag uses: its own, otherwise that of the cyclically next larger tag. Null when the
    /// chain has no final entry.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong* Find(HashBucket* first, ulong pattern, out ulong word)
    {
        while (true)
        {
            ulong* slot = Successor(first, pattern, out word, out bool tentative);
            if (slot == null) return null;
            if (tentative)
            {
                ClearTentative(first);
                continue;
            }

            // Entries are only removed, so one that is still there after the scan is the successor now.
            Probe.Point(ProbePoint.IndexScan);
            ulong again = Volatile.Read(ref *slot);
            if (((again ^ word) & ~EntryWord.AddressMask) != 0 || again == 0) continue;
            word = again;
            return slot;
        }
    }

    private static ulong* Successor(HashBucket* bucket, ulong pattern, out ulong word, out bool tentative)
    {
        ulong* found = null;
        ulong least = ulong.MaxValue;
        word = 0;
        tentative = false;
        do
        {
            Probe.Point(ProbePoint.IndexScan);
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong seen = Volatile.Read(ref bucket->Entries[i]);
                if (seen == 0 || ChainTrim.IsClosed(seen)) continue;
                if ((seen & EntryWord.Tentative) != 0)
                {
                    tentative = !(Probe.On && Probe.Has(SeededBug.SharingKeepsTentative));
                    continue;
                }

                ulong distance = ((seen & ExactTag) - pattern) & ExactTag;
                if (distance >= least) continue;
                least = distance;
                found = &bucket->Entries[i];
                word = seen;
            }

            bucket = HashBucket.Next(bucket);
        }
        while (bucket != null);

        return found;
    }

    /// <summary>Releases the slots of inserts in progress in a chain: they start again.</summary>
    public static void ClearTentative(HashBucket* bucket)
    {
        do
        {
            Probe.Point(ProbePoint.IndexRescan);
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong seen = Volatile.Read(ref bucket->Entries[i]);
                if ((seen & EntryWord.Tentative) != 0 && !ChainTrim.IsClosed(seen))
                    Interlocked.CompareExchange(ref bucket->Entries[i], 0, seen);
            }

            bucket = HashBucket.Next(bucket);
        }
        while (bucket != null);
    }
}
