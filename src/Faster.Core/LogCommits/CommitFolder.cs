using Faster.Checkpoints;
using Faster.Devices.Folders;

namespace Faster.LogCommits;

/// <summary>What all participants of a store's commits need of its folder.</summary>
/// <param name="Files">The folder.</param>
/// <param name="Identity">The store's identity.</param>
/// <param name="Catalog">The commits in the folder.</param>
internal sealed record CommitFolder(StoreFiles Files, ulong Identity, CommitCatalog Catalog);
