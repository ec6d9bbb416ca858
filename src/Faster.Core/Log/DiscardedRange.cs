namespace Faster.Log;

/// <summary>A range of addresses in which the records of one version belong to no commit.</summary>
/// <param name="FromAddress">The first address.</param>
/// <param name="ToAddress">The first address after it.</param>
/// <param name="Version">The version code in the records' headers.</param>
internal readonly record struct DiscardedRange(long FromAddress, long ToAddress, byte Version);
