using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Operations;

/// <summary>
/// A key that hashes like all others, so that all records lie in one chain, or has a hash of its own; a comparison is a
/// point.
/// </summary>
internal readonly unsafe struct ChainKey(long value, ulong hash = ChainKey.OneHash) : IKey
{
    public const ulong OneHash = 0x1234_5678_9ABC_DEF0;

    public static int FixedSlotSize => 8;

    public int SlotSize => 8;

    public ulong Word => 0;

    public ulong Hash(in HashSeed seed) => hash;

    public bool Matches(byte* slot)
    {
        Probe.Point(ProbePoint.IndexScan);
        return *(long*)slot == value;
    }

    public void WriteTo(byte* slot) => *(long*)slot = value;
}
