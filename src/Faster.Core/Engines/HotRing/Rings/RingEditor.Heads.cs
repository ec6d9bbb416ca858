using Faster.Probes;

namespace Faster.Engines.HotRing.Rings;

/// <summary>The movement of heads: away from items that are unlinked, and to hot items (paper 002 §3.3).</summary>
internal sealed unsafe partial class RingEditor
{
    /// <summary>Moves the head of a ring to an item that the session has found in it.</summary>
    /// <returns>False if the head is there, is busy, or the item has been superseded or deleted.</returns>
    /// <remarks>
    /// <i>Mover</i>: (1) writes its number into the head's word; (2) reads whether the item is occupied; (3) if not,
    /// swaps the head from the word of (1) to the item. <i>Unlinker</i> of an item: (a) the item is occupied; (b) reads
    /// the head, and ends a movement that it finds, any session's; (c) unlinks the item. Either (2) comes after (a)
    /// and sees the bit, or (1) comes before (b): then (b) finds the mover's word, so that (3) fails, or (3) has
    /// happened, so that (b) finds the item at the head and moves the head on. The word of (1) cannot come back after
    /// (b): it holds the mover's number, and the mover writes it once.
    /// </remarks>
    public bool TryMoveHead(ulong* head, byte* item)
    {
        ulong word = Read(ref *head);
        return MayMove(word) && (byte*)HeadWord.Address(word) != item && TryMove(head, word, item);
    }

    /// <summary>
    /// Whether the session may move a head, or sample for that: if the head is at rest, and at no rehash item. A ring
    /// that is being split begins at its rehash item until it is parted.
    /// </summary>
    public bool MayMove(ulong word)
    {
        if (Mover == 0 || !HeadWord.IsAtRest(word) || HeadWord.Address(word) == 0) return false;
        return (Probe.On && Probe.Has(SeededBug.MoveLeavesRehashItem))
            || !ItemWord.IsRehash(Read(ref ItemLayout.Word((byte*)HeadWord.Address(word))));
    }

    /// <summary>Moves the head of a half of a ring, which has just been parted, to the hot item of the ring.</summary>
    /// <param name="old">The ring's old head, at which no operation begins any more.</param>
    /// <remarks>
    /// Every session still looks at the old head, too, before it unlinks an item. So what it points to was linked when
    /// it was read; from there on the movement is like any other.
    /// </remarks>
    public void InheritHead(ulong* old)
    {
        var hot = (byte*)HeadWord.Address(Read(ref *old));
        if (ItemWord.IsRehash(Read(ref ItemLayout.Word(hot)))) return;
        ulong* head = View.HeadOf(ItemLayout.Hash(hot));
        _ = TryMove(head, Read(ref *head), hot);
    }

    /// <summary>Steps 2 and 3 of a movement.</summary>
    public bool TryFinishMove(ulong* head, ulong moving, byte* item)
    {
        bool isOccupied = ItemWord.IsOccupied(Read(ref ItemLayout.Word(item)));
        if (isOccupied && !(Probe.On && Probe.Has(SeededBug.MoveIgnoresOccupied)))
        {
            _ = TrySwap(ref *head, moving, HeadWord.AtRest(moving));
            return false;
        }

        return TrySwap(ref *head, moving, (ulong)item);
    }

    /// <summary>Ends the state in which a head is moved, or accesses are counted.</summary>
    public static void Rest(ulong* head, ulong word) => _ = TrySwap(ref *head, word, HeadWord.AtRest(word));

    private bool TryMove(ulong* head, ulong word, byte* item)
    {
        ulong moving = HeadWord.Moving(word, Mover);
        return TrySwap(ref *head, word, moving) && TryFinishMove(head, moving, item);
    }

    private void LeaveHeads(byte* item)
    {
        ulong hash = ItemLayout.Hash(item);
        LeaveHead(View.HeadOf(hash), item, isOld: false);
        ulong* old = View.OldHeadOf(hash);
        if (old != null) LeaveHead(old, item, isOld: true);
    }

    /// <summary>Makes sure that a head does not point to an occupied item, and never will again.</summary>
    /// <remarks>
    /// From an item that was deleted the head moves to the next one, from one that was superseded to its new version,
    /// which inherits the hotness (§3.2.3). That item is linked when the swap succeeds: the head still points to the
    /// occupied item, which is thus linked, and so are all that follow it, because each occupied one of them can only
    /// be unlinked after the one before it.
    /// </remarks>
    private void LeaveHead(ulong* head, byte* item, bool isOld)
    {
        for (;;)
        {
            ulong word = Read(ref *head);
            if ((byte*)HeadWord.Address(word) != item)
            {
                bool isMoving = HeadWord.IsMoving(word) && !(Probe.On && Probe.Has(SeededBug.UnlinkKeepsMovement));
                if (!isMoving || TrySwap(ref *head, word, HeadWord.AtRest(word))) return;
                continue;
            }

            byte* live = LiveAfter(head, item, out bool isCurrent);
            if (!isCurrent) continue;
            if (live == null)
            {
                // The old head of a ring that is not split is emptied by a search; of others it does not matter.
                if (isOld || TryEmpty(head, word)) return;
                continue;
            }

            ulong kept = HeadWord.IsMoving(word) ? 0 : word;
            if (TrySwap(ref *head, word, HeadWord.WithAddress(kept, (ulong)live))) return;
        }
    }
}
