using System.Runtime.CompilerServices;

namespace Faster.Engines.HotRing.Rings;

/// <summary>What a session knows of the index, read under its epoch (<see cref="Rehash.RingState"/>).</summary>
internal readonly unsafe struct RingView
{
    private readonly ulong* _heads;
    private readonly ulong* _oldHeads;
    private readonly int _shift;

    /// <summary>The view of a state.</summary>
    /// <param name="table">The table whose heads operations begin at.</param>
    /// <param name="old">The table of half the size, which has the heads of rings that are not split, or null.</param>
    public RingView(RingTable table, RingTable? old)
    {
        _heads = table.Heads;
        _shift = table.Shift;
        _oldHeads = old is null ? null : old.Heads;
    }

    /// <summary>The head of the ring of a hash; it may be <see cref="HeadWord.Unsplit"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* HeadOf(ulong hash) => _heads + (hash >> _shift);

    /// <summary>The head of the ring of a hash in the old table; null if there is none.</summary>
    public ulong* OldHeadOf(ulong hash) => _oldHeads == null ? null : _oldHeads + (hash >> (_shift + 1));

    /// <summary>The smallest hash of the ring of a hash.</summary>
    public ulong StartOf(ulong hash) => hash >> _shift << _shift;

    /// <summary>The largest hash of the ring of a hash.</summary>
    public ulong EndOf(ulong hash) => StartOf(hash) | ((1UL << _shift) - 1);
}
