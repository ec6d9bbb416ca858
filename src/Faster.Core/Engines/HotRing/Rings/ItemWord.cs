namespace Faster.Engines.HotRing.Rings;

/// <summary>
/// The first word of an item (paper 002, Fig. 6b): Rehash:1 | Occupied:1 | Counter:14 | Address of the next item:48.
/// </summary>
/// <remarks>
/// <para>An <i>occupied</i> item has been superseded or deleted, by the one compare-and-swap that set the bit. Its word
/// never changes again. If it was superseded, its next item is the new version; if it was deleted, the next one in the
/// ring. A <i>rehash item</i> has no key: it marks where the range of hashes of a bucket begins (§3.4).</para>
/// <para>Pure functions.</para>
/// </remarks>
internal static class ItemWord
{
    /// <summary>The bit of a rehash item.</summary>
    public const ulong Rehash = 1UL << 63;

    /// <summary>The bit of an item that has been superseded or deleted.</summary>
    public const ulong Occupied = 1UL << 62;

    /// <summary>The bits of an address.</summary>
    public const ulong AddressMask = (1UL << 48) - 1;

    /// <summary>One access in the counter.</summary>
    public const ulong OneAccess = 1UL << 48;

    /// <summary>The bits of the counter.</summary>
    public const ulong CounterMask = ((1UL << 14) - 1) << 48;

    /// <summary>Whether the item has been superseded or deleted.</summary>
    public static bool IsOccupied(ulong word) => (word & Occupied) != 0;

    /// <summary>Whether the item is a rehash item.</summary>
    public static bool IsRehash(ulong word) => (long)word < 0;

    /// <summary>The address of the next item.</summary>
    public static ulong Next(ulong word) => word & AddressMask;

    /// <summary>The number of counted accesses.</summary>
    public static int Accesses(ulong word) => (int)((word & CounterMask) >> 48);

    /// <summary>The word with another next item.</summary>
    public static ulong WithNext(ulong word, ulong address) => (word & ~AddressMask) | address;

    /// <summary>The word of a superseded item.</summary>
    public static ulong Superseded(ulong word, ulong newItem) => Occupied | (word & Rehash) | newItem;

    /// <summary>The word of a deleted item.</summary>
    public static ulong Deleted(ulong word) => Occupied | (word & ~CounterMask);
}
