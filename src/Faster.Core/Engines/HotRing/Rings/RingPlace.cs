namespace Faster.Engines.HotRing.Rings;

/// <summary>Where a key is in its ring, or would be: between two items that were adjacent when they were
/// read.</summary>
internal unsafe struct RingPlace
{
    /// <summary>The head of the ring.</summary>
    public ulong* Head;

    /// <summary>The head's word when the search began.</summary>
    public ulong HeadWord;

    /// <summary>The item before the key; null if the ring is empty, or if the search did not need it.</summary>
    public byte* Previous;

    /// <summary>The word of <see cref="Previous"/>, whose next item is <see cref="Item"/>.</summary>
    public ulong PreviousWord;

    /// <summary>The key's item, or the one after its place.</summary>
    public byte* Item;

    /// <summary>The word of <see cref="Item"/>, which was not occupied.</summary>
    public ulong ItemWord;

    /// <summary>The number of memory accesses: the head, and each item that was visited.</summary>
    public int Accesses;
}
