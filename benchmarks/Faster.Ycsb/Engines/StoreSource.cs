using Faster.Engines;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>Makes and recovers generated stores in a folder.</summary>
internal sealed class StoreSource : ICommitEngineSource
{
    /// <inheritdoc/>
    public string Name => StoreNames.Single;

    /// <inheritdoc/>
    public bool Supports(CommitForm form) => true;

    /// <inheritdoc/>
    public async Task<ICommitEngine> CreateAsync(string folder, StoreSize size) =>
        new StoreCommitEngine(await Numbers.OpenAsync(folder, OptionsOf(size)));

    /// <inheritdoc/>
    public async Task<ICommitEngine> RecoverAsync(string folder, StoreSize size) =>
        new StoreCommitEngine(await Numbers.OpenAsync(folder, OptionsOf(size)));

    private static StoreOptions OptionsOf(StoreSize size) => NumbersOptions.For(size.Keys, size.LogBytes);
}
