namespace Faster.Devices;

/// <summary>
/// What a block's checksum vouches for besides its bytes: whose it is, and of which run of the store.
/// </summary>
/// <param name="Identity">The store's identity: random, chosen when the store was created.</param>
/// <param name="Incarnation">
/// How often the store was recovered when the block was written, from 1: a file's holes read as 0 and never pass.
/// </param>
internal readonly record struct BlockSeal(ulong Identity, uint Incarnation);
