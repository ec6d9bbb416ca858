using System.Runtime.CompilerServices;
using Faster.Index.Entries;

namespace Faster.Operations;

/// <summary>
/// The pin that an attempt holds on a part of an index that is being resized, if any. Not thread-safe: it belongs to an
/// attempt.
/// </summary>
internal struct HeldPin(ITierIndex index)
{
    private int _pin = -1;

    /// <summary>Takes over the pin of an entry that was located, if it has one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Hold(in EntryRef entry)
    {
        if (entry.Pin >= 0) _pin = entry.Pin;
    }

    /// <summary>
    /// Releases the pin, if there is one. Called at the end of every attempt, before the epoch is left.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave()
    {
        if (_pin >= 0) LeaveSlowly();
    }

    private void LeaveSlowly()
    {
        int pin = _pin;
        _pin = -1;
        index.Unpin(pin);
    }
}
