using System.Runtime.CompilerServices;

namespace Faster.Index.Entries;

/// <summary>
/// A final entry of a hash index that leads to a record of the log, as it was read in a quiet epoch. Valid in that
/// epoch.
/// </summary>
/// <param name="slot">The entry's slot.</param>
/// <param name="word">The entry, as read once.</param>
internal readonly unsafe struct QuietEntry(ulong* slot, ulong word)
{
    /// <summary>The address of the newest record of the entry's chain.</summary>
    public long Address => (long)(word & EntryWord.AddressMask);

    /// <summary>Replaces the address.</summary>
    /// <returns>False: the entry has changed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReplace(long address) => HashIndex.TryReplace(slot, word, address);
}
