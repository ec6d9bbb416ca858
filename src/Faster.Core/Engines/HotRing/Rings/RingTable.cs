using System.Numerics;
using Faster.Memory;

namespace Faster.Engines.HotRing.Rings;

/// <summary>The heads of all rings. The high bits of a hash select the ring.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>There are 2^<see cref="Bits"/> heads, at least 2^<see cref="MinBits"/>.</item>
/// <item>The ring of a head has the items whose hashes begin with the head's index, and while it is split those of its
/// neighbor.</item>
/// </list>
/// <para>Thread-safe except for <see cref="Dispose"/>; the heads are changed by
/// <see cref="RingEditor"/>.</para>
/// </remarks>
internal sealed unsafe class RingTable : IDisposable
{
    /// <summary>The binary logarithm of the smallest number of rings.</summary>
    public const int MinBits = 4;

    /// <summary>The binary logarithm of the largest number of rings.</summary>
    public const int MaxBits = 40;

    private readonly NativeBlock _block;

    /// <summary>Makes a table.</summary>
    /// <param name="bits">The binary logarithm of the number of rings.</param>
    /// <param name="head">The word of each head: by default that of an empty ring.</param>
    /// <exception cref="LimitExceededException">The system refuses the memory.</exception>
    public RingTable(int bits, ulong head = 0)
    {
        Bits = bits;
        _block = new NativeBlock(BytesOf(bits));
        if (head == 0) return; // so is new memory
        for (long ring = 0; ring < Count; ring++) Heads[ring] = head;
    }

    /// <summary>The binary logarithm of the number of rings.</summary>
    public int Bits { get; }

    /// <summary>The number of rings.</summary>
    public long Count => 1L << Bits;

    /// <summary>By how much a hash is shifted to select its ring.</summary>
    public int Shift => 64 - Bits;

    /// <summary>One word (<see cref="HeadWord"/>) for each ring.</summary>
    public ulong* Heads => (ulong*)_block.Pointer;

    /// <summary>The size in bytes of a table.</summary>
    public static long BytesOf(int bits) => sizeof(ulong) * (1L << bits);

    /// <summary>The binary logarithm of the smallest number of rings that is at least a given number.</summary>
    public static int BitsFor(long rings) =>
        Math.Clamp(rings <= 1 ? 0 : 64 - BitOperations.LeadingZeroCount((ulong)rings - 1), MinBits, MaxBits);

    /// <summary>The smallest hash of a ring.</summary>
    public ulong StartOf(long ring) => (ulong)ring << Shift;

    /// <summary>Touches the memory of all heads.</summary>
    public void Populate() => _block.Populate(0, _block.Bytes);

    /// <summary>Returns the memory to the system.</summary>
    public void Dispose() => _block.Dispose();
}
