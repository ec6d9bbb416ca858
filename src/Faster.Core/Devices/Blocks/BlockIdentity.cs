namespace Faster.Devices.Blocks;

/// <summary>
/// What a block's checksum covers besides its bytes: the store that the block belongs to, and the run that wrote it.
/// </summary>
/// <param name="Identity">The store's identity: random, chosen when the store was created.</param>
/// <param name="Incarnation">
/// The number of recoveries of the store before the block was written, plus 1: a file's holes read as 0, which is never
/// valid.
/// </param>
internal readonly record struct BlockIdentity(ulong Identity, uint Incarnation);
