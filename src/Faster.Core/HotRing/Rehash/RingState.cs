using Faster.HotRing.Rings;

namespace Faster.HotRing.Rehash;

/// <summary>Which table of heads operations use. Immutable; a new state is published as a whole.</summary>
/// <param name="Table">The table whose heads operations begin at.</param>
/// <param name="Old">
/// In the transition of a rehash, the table of half the size, at whose heads operations of the state before may still
/// begin; otherwise null.
/// </param>
internal sealed record RingState(RingTable Table, RingTable? Old)
{
    /// <summary>What sessions know of the state.</summary>
    public RingView View { get; } = new(Table, Old);
}
