namespace Faster.Epochs;

/// <summary>
/// Holds a slot of an epoch table until the holder is not reachable any more, and then gives it back.
/// </summary>
/// <remarks>
/// A thread that is about to announce an epoch has read the slot's address and may stand still before it writes, as
/// long as it likes: to enter takes no interlocked operation, so no other thread can tell. If the slot had another
/// holder by then, the write would end that one's protection. But the thread holds a reference to the object whose slot
/// it is, and so to the lease: the collector can tell. Thread-safe.
/// </remarks>
internal sealed unsafe class SlotLease(EpochSlots slots, EpochSlot* slot)
{
    /// <summary>The slot; its address is good as long as the lease is reachable.</summary>
    public EpochSlot* Slot => slot;

    /// <summary>Gives the slot back, unless its holder was lost inside its epoch.</summary>
    ~SlotLease()
    {
        if (slot->Epoch == 0) slots.Release(slot);
    }
}
