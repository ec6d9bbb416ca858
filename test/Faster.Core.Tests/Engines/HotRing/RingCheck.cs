using Faster.Contracts;
using Faster.Engines.HotRing;
using Faster.Engines.HotRing.Rings;

namespace Faster.Tests.Engines.HotRing;

/// <summary>The invariants of rings at rest.</summary>
internal static unsafe class RingCheck
{
    /// <summary>
    /// Checks that each ring has one descent, comes back to its head, has no occupied item and no rehash item, and only
    /// items of its range of hashes.
    /// </summary>
    /// <returns>The keys, in the order of their rings.</returns>
    public static List<long> Keys(HotRingStore store)
    {
        var keys = new List<long>();
        RingTable table = store.Index.State.Table;
        Assert.Null(store.Index.State.Old);
        for (long ring = 0; ring < table.Count; ring++)
        {
            ulong head = table.Heads[ring];
            Assert.False(HeadWord.IsMoving(head), "A head is left in movement");
            byte* first = (byte*)HeadWord.Address(head), item = first;
            int descents = 0, items = 0;
            while (item != null)
            {
                ulong word = ItemLayout.Word(item);
                Assert.False(ItemWord.IsOccupied(word), "An occupied item is left");
                Assert.False(ItemWord.IsRehash(word), "A rehash item is left");
                Assert.Equal(ring, (long)(ItemLayout.Hash(item) >> table.Shift));
                byte* next = (byte*)ItemWord.Next(word);
                keys.Add(*(long*)(item + ItemLayout.KeyOffset));
                if (!IsBefore(item, next)) descents++;
                Assert.True(++items < 1000, "A ring does not come back to its head");
                item = next == first ? null : next;
            }

            Assert.Equal(first == null ? 0 : 1, descents);
        }

        Assert.Equal(keys.Count, keys.Distinct().Count());
        return keys;
    }

    private static bool IsBefore(byte* left, byte* right) => ItemLayout.Hash(left) != ItemLayout.Hash(right)
        ? ItemLayout.Hash(left) < ItemLayout.Hash(right)
        : new ReadOnlySpan<byte>(left + ItemLayout.KeyOffset, 8)
            .SequenceCompareTo(new ReadOnlySpan<byte>(right + ItemLayout.KeyOffset, 8)) < 0;
}
