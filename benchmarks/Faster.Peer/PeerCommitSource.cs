using Faster.Workload.Experiments;

namespace Faster.Peer;

/// <summary>Makes and recovers stores of the peer in a folder.</summary>
internal sealed class PeerCommitSource(PeerMode mode) : ICommitEngineSource
{
    /// <inheritdoc/>
    public string Name => PeerSource.NameOf(mode);

    /// <inheritdoc/>
    public bool Supports(CommitForm form) => form != CommitForm.Incremental;

    /// <inheritdoc/>
    public Task<ICommitEngine> CreateAsync(string folder, StoreSize size) =>
        Task.FromResult<ICommitEngine>(new PeerCommitEngine(mode, folder, size, recover: false));

    /// <inheritdoc/>
    public Task<ICommitEngine> RecoverAsync(string folder, StoreSize size) => Task.Run(
        () => (ICommitEngine)new PeerCommitEngine(mode, folder, size, recover: true));
}
