using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Invariants;
using Faster.Log.InMemory;
using Faster.Probes;

namespace Faster.Engines.HotRing.Rings;

/// <summary>
/// Searches and changes the rings of one session (paper 002 §3.1, §3.3). A ring is a circular list of items in
/// ascending order of (hash, key), with one descent, and a head that points to any of them.
/// </summary>
/// <remarks>
/// <para>Invariants, of what is linked:</para>
/// <list type="number">
/// <item><i>Order.</i> Items that are not occupied ascend strictly, but for one step, which closes the ring. Occupied
/// items stand before the item that superseded them, or where they were when they were deleted.</item>
/// <item><i>Frozen.</i> An occupied item's word never changes.</item>
/// <item><i>Linked.</i> An item that is not occupied is linked. An occupied item is unlinked by a compare-and-swap of
/// the item before it, which is not occupied, or with all others of its ring by one of the head.</item>
/// <item><i>Head.</i> The head points to a linked item, or is 0 and the ring is empty. So an item is unlinked only
/// while no head points to it, and none ever will again.</item>
/// </list>
/// <para><b>Changes.</b> Each takes effect by one compare-and-swap. An insertion links the new item behind the one
/// before it; that one cannot have been occupied meanwhile, because the bit is in the word that is swapped. An update
/// (read-copy-update) or a deletion occupies the item; an update's new version is the occupied item's next one. The
/// session then unlinks the occupied item. Any other session that meets it does the same first, so no session waits for
/// another: rings are changed without locks. (In the paper a session sets the bit for a moment and takes it back, and
/// the others wait.)</para>
/// <para><b>Reads.</b> Each item that a walk visits was linked at some time within the walk: the first one when the
/// head was read (4); the next one when the word of the item before was read if that was not occupied (3), and else
/// when the item before was unlinked at the latest, because its word was frozen by then (2). Two items that a walk
/// visits one after the other were adjacent at that time. So a key between them was absent then (1), and a key whose
/// item was not occupied when its word was read was present.</para>
/// <para><b>Heads.</b> Why (4) holds is in docs/internals/hotring.md, with the protocol of movement.</para>
/// <para>Called under the session's epoch, so that no item that is met is freed. Not thread-safe: it belongs to one
/// session; other sessions change the same rings.</para>
/// </remarks>
internal sealed unsafe partial class RingEditor
{
    private readonly RecordArena _arena;
    private readonly FreeLists _lists;
    private readonly ItemLayout _layout;
    private byte[] _keySlot = [];

    /// <summary>Makes the editor of a session.</summary>
    /// <param name="arena">The memory of items.</param>
    /// <param name="lists">The session's free memory.</param>
    /// <param name="layout">The layout of items.</param>
    /// <param name="mover">The number under which the session moves heads; 0 if it moves none.</param>
    public RingEditor(RecordArena arena, FreeLists lists, ItemLayout layout, int mover)
    {
        (_arena, _lists, _layout) = (arena, lists, layout);
        Mover = mover is > 0 and <= HeadWord.MaxCounter ? mover : 0;
    }

    private enum Walk
    {
        Found,
        Missing,
        Again,
    }

    /// <summary>What the session knows of the index; set under its epoch.</summary>
    public RingView View { get; set; }

    /// <summary>The number under which the session moves heads; 0 if it moves none.</summary>
    public int Mover { get; }

    /// <summary>
    /// Finds a key's item, without changing anything, as long as no occupied item and no other key of the same hash is
    /// in the way.
    /// </summary>
    /// <param name="head">The word of the ring's head.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="isMissing">Whether the key is known to be absent.</param>
    /// <returns>The item, which was not occupied; null if the key is absent or <see cref="Seek"/> must tell.</returns>
    /// <remarks>
    /// The three conditions of a miss (§3.1, formula 5). The step from the last item to the first is one that does not
    /// ascend; so a ring of one item, which is its own next one, ends like any other.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Find<TKey>(ulong head, scoped TKey key, ulong hash, out bool isMissing)
        where TKey : struct, IKey, allows ref struct
    {
        byte* item = (byte*)HeadWord.Address(head);
        isMissing = item == null;
        if (isMissing) return null;
        Probe.Point(ProbePoint.RingRead);
        ulong word = Volatile.Read(ref ItemLayout.Word(item)), at = ItemLayout.Hash(item);
        for (;;)
        {
            if (at == hash)
            {
                bool isPlain = (word & (ItemWord.Occupied | ItemWord.Rehash)) == 0;
                return isPlain && key.Matches(item + ItemLayout.KeyOffset) ? item : null;
            }

            if (ItemWord.IsOccupied(word)) return null;
            byte* next = (byte*)ItemWord.Next(word);
            ulong nextAt = ItemLayout.Hash(next);
            if (nextAt > at ? at < hash && hash < nextAt : at < hash || hash < nextAt)
            {
                isMissing = nextAt != at || next == item;
                return null;
            }

            Probe.Point(ProbePoint.RingRead);
            word = Volatile.Read(ref ItemLayout.Word(next));
            item = next;
            at = nextAt;
        }
    }

    /// <summary>Finds a key's item or its place, and unlinks the occupied items on the way.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="needsPrevious">Whether the item before the key's is needed, which may take a whole round.</param>
    /// <param name="place">The place.</param>
    /// <returns>Whether the key has an item.</returns>
    public bool Seek<TKey>(scoped TKey key, ulong hash, bool needsPrevious, out RingPlace place)
        where TKey : struct, IKey, allows ref struct
    {
        place = new RingPlace { Head = HeadOf(hash) };
        for (;;)
        {
            byte* first = FirstLive(place.Head, out place.HeadWord);
            place.Previous = place.Item = null;
            place.Accesses = 1;
            if (first == null) return false;
            Walk walk = WalkFrom(first, key, hash, needsPrevious, ref place);
            if (walk != Walk.Again) return walk == Walk.Found;
        }
    }

    /// <summary>Links a new item at a place.</summary>
    /// <param name="place">The place, which was found to have no item of the key.</param>
    /// <param name="item">The item, with hash, key and value.</param>
    /// <returns>False if the place has changed: seek again.</returns>
    public static bool TryInsert(in RingPlace place, byte* item)
    {
        bool isFirst = place.Previous == null;
        ulong kind = ItemLayout.Word(item) & ItemWord.Rehash; // the rest may be left of an update that failed
        ItemLayout.Word(item) = kind | (isFirst ? (ulong)item : (ulong)place.Item);
        return isFirst ? TrySwap(ref *place.Head, 0, (ulong)item) : TrySwap(
            ref ItemLayout.Word(place.Previous), place.PreviousWord,
            ItemWord.WithNext(place.PreviousWord, (ulong)item));
    }

    /// <summary>Replaces a key's item by a new version of it, and unlinks the old one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="place">The place of the old item, with the item before.</param>
    /// <param name="item">The new item, with hash, key and value.</param>
    /// <returns>False if the old item is not the key's any more: seek again.</returns>
    public bool TrySupersede<TKey>(scoped TKey key, ulong hash, ref RingPlace place, byte* item)
        where TKey : struct, IKey, allows ref struct
    {
        for (;;)
        {
            // The new version inherits the counted accesses.
            ItemLayout.Word(item) = place.ItemWord & ~ItemWord.Occupied;
            if (Probe.On && Probe.Has(SeededBug.UpdateWithoutOccupied)) return TryReplaceUnoccupied(place, item);
            if (TrySwap(
                ref ItemLayout.Word(place.Item), place.ItemWord, ItemWord.Superseded(place.ItemWord, (ulong)item)))
                break;
            if (!TryLookAgain(ref place)) return false;
        }

        CleanUp(key, hash, place);
        return true;
    }

    /// <summary>Deletes a key's item, and unlinks it.</summary>
    /// <inheritdoc cref="TrySupersede"/>
    public bool TryDelete<TKey>(scoped TKey key, ulong hash, ref RingPlace place)
        where TKey : struct, IKey, allows ref struct
    {
        if (Probe.On && Probe.Has(SeededBug.DeletionWithoutOccupied) && place.Previous != place.Item)
            return TryReplaceUnoccupied(place, (byte*)ItemWord.Next(place.ItemWord));
        while (!TrySwap(ref ItemLayout.Word(place.Item), place.ItemWord, ItemWord.Deleted(place.ItemWord)))
            if (!TryLookAgain(ref place)) return false;
        CleanUp(key, hash, place);
        return true;
    }

    /// <summary>Links two rehash items to an empty ring.</summary>
    /// <returns>False if the ring is not empty.</returns>
    public bool TryInsertPair(byte* low, byte* high)
    {
        ulong* head = HeadOf(ItemLayout.Hash(low));
        if (FirstLive(head, out _) != null) return false;
        ItemLayout.Word(low) = ItemWord.WithNext(ItemWord.Rehash, (ulong)high);
        ItemLayout.Word(high) = ItemWord.WithNext(ItemWord.Rehash, (ulong)low);
        if (TrySwap(ref *head, 0, (ulong)low)) return true;
        ItemLayout.Word(low) = ItemLayout.Word(high) = ItemWord.Rehash;
        return false;
    }

    /// <summary>Makes the last item of a ring that is being split lead to another rehash item.</summary>
    /// <param name="hash">The hash of the rehash item at which the ring begins.</param>
    /// <param name="from">The rehash item to which it leads.</param>
    /// <param name="to">The one to which it shall lead.</param>
    public void Redirect(ulong hash, byte* from, byte* to)
    {
        // The last item before "from": the place of a key that follows all others of the ring.
        for (;;)
        {
            _ = Seek(default(LastKey), View.EndOf(hash), needsPrevious: true, out RingPlace place);
            Invariant.Check(place.Item == from, $"the ring of {hash:x} ends at the next rehash item");
            ulong word = ItemWord.WithNext(place.PreviousWord, (ulong)to);
            if (TrySwap(ref ItemLayout.Word(place.Previous), place.PreviousWord, word)) return;
        }
    }

    // The head of the ring that has a hash: the old one, until the ring is split.
    private ulong* HeadOf(ulong hash)
    {
        ulong* head = View.HeadOf(hash), old = View.OldHeadOf(hash);
        return old != null && Read(ref *head) == HeadWord.Unsplit ? old : head;
    }

    // Another session has counted an access, or changed what comes behind the item, or occupied it.
    private static bool TryLookAgain(ref RingPlace place)
    {
        place.ItemWord = Read(ref ItemLayout.Word(place.Item));
        return !ItemWord.IsOccupied(place.ItemWord);
    }

    // As the paper's Fig. 8 shows, what another session links behind the old item meanwhile is lost.
    private bool TryReplaceUnoccupied(in RingPlace place, byte* item)
    {
        if (!TrySwap(
            ref ItemLayout.Word(place.Previous), place.PreviousWord,
            ItemWord.WithNext(place.PreviousWord, (ulong)item)))
            return false;
        LeaveHeads(place.Item);
        return true;
    }

    private void CleanUp<TKey>(scoped TKey key, ulong hash, in RingPlace place)
        where TKey : struct, IKey, allows ref struct
    {
        if (place.Previous != place.Item && TryUnlink(place.Previous, place.PreviousWord, place.Item)) return;
        // Passes the place of the key. When it returns, the items on both sides of it were adjacent, or the ring was
        // empty: so the occupied item is not linked any more.
        _ = Seek(key, hash, needsPrevious: true, out _);
    }

    private Walk WalkFrom<TKey>(byte* first, scoped TKey key, ulong hash, bool needsPrevious, ref RingPlace place)
        where TKey : struct, IKey, allows ref struct
    {
        byte* previous = first;
        ulong word = Read(ref ItemLayout.Word(previous));
        if (ItemWord.IsOccupied(word)) return Walk.Again;
        place.Accesses++;
        int order = Compare(previous, word, key, hash);
        if (order == 0 && !needsPrevious)
        {
            place.Item = previous;
            place.ItemWord = word;
            return Walk.Found;
        }

        for (;;)
        {
            byte* item = (byte*)ItemWord.Next(word);
            ulong itemWord = Read(ref ItemLayout.Word(item));
            if (ItemWord.IsOccupied(itemWord))
            {
                if (item == previous) return Walk.Again; // a ring of one item, occupied since
                _ = TryUnlink(previous, word, item);
                word = Read(ref ItemLayout.Word(previous));
                if (ItemWord.IsOccupied(word)) return Walk.Again;
                continue;
            }

            if (item != first) place.Accesses++;
            int itemOrder = Compare(item, itemWord, key, hash);
            bool isHere = Ascends(previous, word, item, itemWord)
                ? order < 0 && itemOrder >= 0
                : order < 0 || itemOrder >= 0;
            if (isHere)
            {
                place.Previous = previous;
                place.PreviousWord = word;
                place.Item = item;
                place.ItemWord = itemWord;
                return itemOrder == 0 ? Walk.Found : Walk.Missing;
            }

            previous = item;
            word = itemWord;
            order = itemOrder;
        }
    }

    /// <summary>The first item from the head on that is not occupied; null if the ring is empty.</summary>
    private byte* FirstLive(ulong* head, out ulong headWord)
    {
        for (;;)
        {
            headWord = Read(ref *head);
            byte* first = (byte*)HeadWord.Address(headWord);
            if (first == null) return null;
            ulong word = Read(ref ItemLayout.Word(first));
            if (!ItemWord.IsOccupied(word)) return first;
            byte* live = LiveAfter(head, first, out bool isCurrent);
            if (!isCurrent) continue;
            if (live != null) return live;
            if (!TryEmpty(head, headWord)) continue;
            headWord = 0;
            return null;
        }
    }

    /// <summary>
    /// The first item that is not occupied after an occupied one at the head; null if all of the ring are occupied.
    /// </summary>
    /// <param name="head">The head.</param>
    /// <param name="item">The item.</param>
    /// <param name="isCurrent">
    /// Whether the item was still at the head during the walk, and so linked: otherwise the result means nothing, and
    /// the walk might not come back to the item.
    /// </param>
    private static byte* LiveAfter(ulong* head, byte* item, out bool isCurrent)
    {
        isCurrent = true;
        byte* next = (byte*)ItemWord.Next(Read(ref ItemLayout.Word(item)));
        while (next != item)
        {
            ulong word = Read(ref ItemLayout.Word(next));
            if (!ItemWord.IsOccupied(word)) return next;
            next = (byte*)ItemWord.Next(word);
            isCurrent = (byte*)HeadWord.Address(Read(ref *head)) == item;
            if (!isCurrent) return null;
        }

        return null;
    }

    // Unlinks all items of a ring of which all are occupied. Their words are frozen, so it stays so.
    private bool TryEmpty(ulong* head, ulong headWord)
    {
        if (!TrySwap(ref *head, headWord, 0)) return false;
        byte* first = (byte*)HeadWord.Address(headWord), item = first;
        do
        {
            byte* next = (byte*)ItemWord.Next(ItemLayout.Word(item));
            Free(item);
            item = next;
        }
        while (item != first);
        return true;
    }

    private bool TryUnlink(byte* previous, ulong word, byte* item)
    {
        ulong itemWord = Read(ref ItemLayout.Word(item));
        Invariant.DebugCheck(ItemWord.IsOccupied(itemWord), $"an occupied item is unlinked: {itemWord:x}");
        if (!(Probe.On && Probe.Has(SeededBug.UnlinkIgnoresHead))) LeaveHeads(item);
        if (!TrySwap(ref ItemLayout.Word(previous), word, ItemWord.WithNext(word, ItemWord.Next(itemWord))))
            return false;
        Free(item);
        return true;
    }

    // Rehash items lie in a block of their own.
    private void Free(byte* item)
    {
        if (ItemWord.IsRehash(ItemLayout.Word(item))) return;
        _arena.Free(_lists, (long)item, _layout.Size(item), everLinked: true);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Read(ref ulong word)
    {
        Probe.Point(ProbePoint.RingRead);
        return Volatile.Read(ref word);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TrySwap(ref ulong word, ulong expected, ulong value)
    {
        Probe.Point(ProbePoint.RingSwap);
        return Interlocked.CompareExchange(ref word, value, expected) == expected;
    }
}
