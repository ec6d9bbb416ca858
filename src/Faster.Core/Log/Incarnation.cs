namespace Faster.Log;

/// <summary>From an address on, the log's blocks carry an incarnation number.</summary>
/// <param name="FromAddress">The first address; on a boundary of sectors.</param>
/// <param name="Number">What the blocks carry.</param>
internal readonly record struct Incarnation(long FromAddress, uint Number);
