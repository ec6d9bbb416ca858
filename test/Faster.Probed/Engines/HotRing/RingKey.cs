using Faster.Contracts;

namespace Faster.Tests.Engines.HotRing;

/// <summary>A key whose place in its ring is known: keys of the same high bits share a ring, in their order.</summary>
/// <param name="value">The key. Keys from 100 on have the hash of 50, so that they are ordered by their bytes.</param>
internal readonly unsafe struct RingKey(long value) : IKey
{
    public static int FixedSlotSize => 8;

    public int SlotSize => 8;

    // The upper half of the first of 16 rings begins at 32.
    public static ulong HashOf(long key) => (ulong)(key >= 100 ? 50 : key) << 54;

    public ulong Word => 0;

    public ulong Hash(in HashSeed seed) => HashOf(value);

    public bool Matches(byte* slot) => *(long*)slot == value;

    public void WriteTo(byte* slot) => *(long*)slot = value;
}
