namespace Faster.Engines.HotRing.Rings;

/// <summary>The word of a ring's head (paper 002, Fig. 6a): Active:1 | Counter:15 | Address:48.</summary>
/// <remarks>
/// <para>The word has five states:</para>
/// <list type="bullet">
/// <item><i>Empty</i>: 0. The ring has no items.</item>
/// <item><i>At rest</i>: Active and counter are 0; the address is that of the hot item.</item>
/// <item><i>Sampling</i>: Active is 1; the counter is the number of accesses that are still to be counted.</item>
/// <item><i>Moving</i>: Active is 0; the counter is the number of the session that is moving the head, which is never
/// 0. Any other session may end this state.</item>
/// <item><i>Unsplit</i>: Active is 1, counter and address are 0. While the index is doubled: the head of the ring is
/// still the one in the table of half the size. As a word that is sampled, it is none for a hit.</item>
/// </list>
/// <para>Pure functions.</para>
/// </remarks>
internal static class HeadWord
{
    /// <summary>The bit that says that accesses to the ring are being counted.</summary>
    public const ulong Active = 1UL << 63;

    /// <summary>The word of a ring that is not split off yet.</summary>
    public const ulong Unsplit = Active;

    /// <summary>The largest counter.</summary>
    public const int MaxCounter = (1 << 15) - 1;

    private const int CounterShift = 48;

    /// <summary>Whether the ring is neither sampled nor is its head being moved.</summary>
    public static bool IsAtRest(ulong word) => word >> CounterShift == 0;

    /// <summary>Whether accesses to the ring are being counted.</summary>
    public static bool IsSampling(ulong word) => (long)word < 0;

    /// <summary>Whether a session is moving the head.</summary>
    public static bool IsMoving(ulong word) => (long)word >= 0 && word >> CounterShift != 0;

    /// <summary>The address of the item at the head; 0 if the ring is empty.</summary>
    public static ulong Address(ulong word) => word & ItemWord.AddressMask;

    /// <summary>The accesses that are still to be counted, or the number of the mover.</summary>
    public static int Counter(ulong word) => (int)(word >> CounterShift) & MaxCounter;

    /// <summary>The same state at another item.</summary>
    public static ulong WithAddress(ulong word, ulong address) => (word & ~ItemWord.AddressMask) | address;

    /// <summary>The word at rest at the same item.</summary>
    public static ulong AtRest(ulong word) => word & ItemWord.AddressMask;

    /// <summary>The word of a ring of which a number of accesses will be counted.</summary>
    public static ulong Sampling(ulong word, int accesses) =>
        Active | ((ulong)accesses << CounterShift) | Address(word);

    /// <summary>The word of a ring whose head a session is moving.</summary>
    public static ulong Moving(ulong word, int session) => ((ulong)session << CounterShift) | Address(word);
}
