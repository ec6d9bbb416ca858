namespace Faster.Devices.Blocks;

/// <summary>The incarnation number of the log's blocks from an address on.</summary>
/// <param name="FromAddress">The first address, on a boundary of sectors.</param>
/// <param name="Number">The number that the blocks carry.</param>
internal readonly record struct Incarnation(long FromAddress, uint Number);
