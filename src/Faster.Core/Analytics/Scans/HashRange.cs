namespace Faster.Analytics.Scans;

/// <summary>The range of key hashes that one pass of a scan covers.</summary>
/// <param name="First">The lowest hash.</param>
/// <param name="Last">The highest hash.</param>
/// <param name="GivenFrom">Earlier passes have returned the live records of these keys from this position on.</param>
internal readonly record struct HashRange(ulong First, ulong Last, long GivenFrom)
{
    /// <summary>All keys, of which none has been returned.</summary>
    public static HashRange All { get; } = new(0, ulong.MaxValue, long.MaxValue);

    /// <summary>Whether the range has more than one hash.</summary>
    public bool CanSplit => First < Last;

    /// <summary>Returns whether the range contains a hash.</summary>
    public bool Contains(ulong hash) => hash >= First && hash <= Last;

    /// <summary>Splits the range in the middle.</summary>
    /// <param name="givenFrom">The position from which on the current pass has returned the live records.</param>
    /// <param name="upper">The upper half, for a later pass.</param>
    /// <returns>The lower half, with which the current pass continues.</returns>
    public HashRange Split(long givenFrom, out HashRange upper)
    {
        ulong middle = First + ((Last - First) / 2);
        upper = new HashRange(middle + 1, Last, Math.Min(GivenFrom, givenFrom));
        return this with { Last = middle };
    }
}
