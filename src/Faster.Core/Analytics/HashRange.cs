namespace Faster.Analytics;

/// <summary>The keys that one pass of a scan is concerned with.</summary>
/// <param name="First">The lowest hash.</param>
/// <param name="Last">The highest hash.</param>
/// <param name="GivenFrom">Their live records from this address on have been given by an earlier pass.</param>
internal readonly record struct HashRange(ulong First, ulong Last, long GivenFrom)
{
    /// <summary>All keys, of which none has been given.</summary>
    public static HashRange All { get; } = new(0, ulong.MaxValue, long.MaxValue);

    /// <summary>Whether there is more than one hash.</summary>
    public bool CanSplit => First < Last;

    /// <summary>Whether it has a hash.</summary>
    public bool Contains(ulong hash) => hash >= First && hash <= Last;

    /// <summary>Parts the range in the middle.</summary>
    /// <param name="givenFrom">From this address on the pass under way has given the live records.</param>
    /// <param name="upper">The upper half, for a later pass.</param>
    /// <returns>The lower half, with which the pass goes on.</returns>
    public HashRange Split(long givenFrom, out HashRange upper)
    {
        ulong middle = First + ((Last - First) / 2);
        upper = new HashRange(middle + 1, Last, Math.Min(GivenFrom, givenFrom));
        return this with { Last = middle };
    }
}
