using Faster.Contracts;

namespace Faster.Engines.HotRing.Rings;

/// <summary>
/// A key that is larger than all keys of its hash. <see cref="RingEditor"/> knows the type, so its
/// members are never called.
/// </summary>
internal readonly unsafe struct LastKey : IKey
{
    /// <inheritdoc/>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize => 0;

    /// <inheritdoc/>
    public ulong Word => 0;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed) => 0;

    /// <inheritdoc/>
    public bool Matches(byte* slot) => false;

    /// <inheritdoc/>
    public void WriteTo(byte* slot) { }
}
