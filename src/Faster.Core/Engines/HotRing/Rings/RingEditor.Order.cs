using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Engines.HotRing.Rings;

/// <summary>The order of the items of a ring: by hash, then rehash items first, then by the bytes of keys.</summary>
internal sealed unsafe partial class RingEditor
{
    /// <summary>Compares an item with a key: negative if the item comes first, 0 if it is the key's.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Compare<TKey>(byte* item, ulong word, scoped TKey key, ulong hash)
        where TKey : struct, IKey, allows ref struct
    {
        ulong at = ItemLayout.Hash(item);
        if (at != hash) return at < hash ? -1 : 1;
        if (typeof(TKey) == typeof(BoundaryKey)) return ItemWord.IsRehash(word) ? 0 : 1;
        if (typeof(TKey) == typeof(LastKey)) return -1;
        if (ItemWord.IsRehash(word)) return -1;
        return key.Matches(item + ItemLayout.KeyOffset) ? 0 : CompareKeys(item, key);
    }

    // Two keys of one hash are ordered by the bytes of their slots: any total order will do.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int CompareKeys<TKey>(byte* item, scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        int size = key.SlotSize;
        if (_keySlot.Length < size + sizeof(ulong)) _keySlot = new byte[size + sizeof(ulong)];
        fixed (byte* start = _keySlot)
        {
            byte* slot = (byte*)(((nint)start + 7) & ~7);
            key.WriteTo(slot);
            return _layout.KeySlotOf(item).SequenceCompareTo(new ReadOnlySpan<byte>(slot, size));
        }
    }

    /// <summary>Whether the step from one item to the next does not close the ring.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Ascends(byte* previous, ulong word, byte* item, ulong itemWord)
    {
        ulong before = ItemLayout.Hash(previous), after = ItemLayout.Hash(item);
        return before != after ? before < after : item != previous && KeyAscends(previous, word, item, itemWord);
    }

    private bool KeyAscends(byte* previous, ulong word, byte* item, ulong itemWord)
    {
        if (ItemWord.IsRehash(word) || ItemWord.IsRehash(itemWord)) return ItemWord.IsRehash(word);
        return _layout.KeySlotOf(previous).SequenceCompareTo(_layout.KeySlotOf(item)) < 0;
    }
}
