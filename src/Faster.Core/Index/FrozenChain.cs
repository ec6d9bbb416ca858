using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Index;

/// <summary>
/// A chain of buckets that takes no further tags, since the index has reached its limit: a tag without an entry shares
/// the entry of the next larger one, and records tell the keys apart.
/// </summary>
/// <remarks>
/// <para>Invariants, from the moment at which somebody shares an entry: no entry becomes final, but for one that
/// stands alone in its chain; an entry goes only when its records are all dead. So the records of a key lie where its
/// tag leads, whenever that is asked. The proof is in docs/INDEX.md.</para>
/// <para>Latch-free, under the caller's epoch.</para>
/// </remarks>
internal static unsafe class FrozenChain<TProbe>
    where TProbe : struct, IProbe
{
    private const ulong ExactTag = EntryWord.TagMask;

    /// <summary>
    /// Freezes a chain. The slots of inserts that are under way in it are still to be given back, by
    /// <see cref="ClearTentative"/>; whoever shares an entry sees to that first.
    /// </summary>
    /// <returns>Whether this call froze it; false when it was frozen before.</returns>
    public static bool Freeze(HashBucket* first) =>
        (Interlocked.Or(ref first->Overflow, HashBucket.Frozen) & HashBucket.Frozen) == 0;

    /// <summary>The bits in which two entries must not be equal: all tags are one in a frozen chain.</summary>
    public static ulong Distinct(bool frozen) =>
        frozen && !TProbe.Has(SeededBug.EmptiedFrozenByTag) ? 0 : ExactTag;

    /// <summary>
    /// The slot of the entry that a tag shares: its own, or else that of the cyclically next larger tag. Null when the
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

            // Entries only go, so one that is still there after the scan is the successor now.
            TProbe.Point(ProbePoint.IndexScan);
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
            TProbe.Point(ProbePoint.IndexScan);
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong seen = Volatile.Read(ref bucket->Entries[i]);
                if (seen == 0) continue;
                if ((seen & EntryWord.Tentative) != 0)
                {
                    tentative = !TProbe.Has(SeededBug.FreezeKeepsTentative);
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

    /// <summary>Gives back the slots of inserts that are under way in a chain: they begin again.</summary>
    public static void ClearTentative(HashBucket* bucket)
    {
        do
        {
            TProbe.Point(ProbePoint.IndexRescan);
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong seen = Volatile.Read(ref bucket->Entries[i]);
                if ((seen & EntryWord.Tentative) != 0) Interlocked.CompareExchange(ref bucket->Entries[i], 0, seen);
            }

            bucket = HashBucket.Next(bucket);
        }
        while (bucket != null);
    }
}
