namespace Faster.Epochs;

/// <summary>
/// Holds a slot of an epoch table until the slot's holder is no longer reachable, and then releases it.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The slot has no other holder as long as the lease is reachable.</item>
/// <item>A slot whose holder was lost inside its epoch is never released.</item>
/// </list>
/// <para>A thread that is about to announce an epoch has read the slot's address and may pause before it writes, for
/// any length of time: entering takes no interlocked operation, so no other thread can detect it. If the slot had
/// another holder by then, the write would end that holder's protection. But the thread holds a reference to the object
/// that owns the slot, and so to the lease: the garbage collector can detect that. Thread-safe.</para>
/// </remarks>
internal sealed unsafe class SlotLease(EpochSlots slots, EpochSlot* slot, string owner)
{
    /// <summary>The lease that the holder had before, which it keeps as long as this one; or null.</summary>
    public SlotLease? Before { get; set; }

    /// <summary>The holder's name, for messages.</summary>
    public string Owner => owner;

    /// <summary>The slot; its address is valid as long as the lease is reachable.</summary>
    public EpochSlot* Slot => slot;

    /// <summary>Releases the slot, unless its holder was lost inside its epoch.</summary>
    ~SlotLease()
    {
        if (slot->Epoch == 0) slots.Release(slot);
    }
}
