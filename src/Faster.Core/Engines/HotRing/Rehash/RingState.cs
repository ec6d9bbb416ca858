using Faster.Engines.HotRing.Rings;

namespace Faster.Engines.HotRing.Rehash;

/// <summary>Which table of heads operations use. Immutable; a new state is published as a whole.</summary>
/// <param name="Table">The table whose heads operations begin at.</param>
/// <param name="Old">
/// During a rehash, the table of half the size, at whose heads operations begin in rings that are not split yet;
/// otherwise null.
/// </param>
internal sealed record RingState(RingTable Table, RingTable? Old)
{
    /// <summary>What sessions know of the state.</summary>
    public RingView View { get; } = new(Table, Old);
}
