namespace Faster.Checkpoints;

/// <summary>A checksummed file that a commit names.</summary>
/// <param name="FileName">The name of the file.</param>
/// <param name="Identity">The identity with which the checksums of its blocks are seeded.</param>
/// <param name="Bytes">The length of the file.</param>
internal record FileReference(string FileName, ulong Identity, long Bytes);
