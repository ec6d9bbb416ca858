using Faster.Workload.Engines;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>Makes and recovers generated stores in a folder.</summary>
/// <param name="populates">Whether they touch their memory when they open.</param>
internal sealed class StoreSource(bool populates) : ICommitEngineSource
{
    /// <inheritdoc/>
    public string Name => populates ? StoreNames.Populated : StoreNames.Single;

    /// <inheritdoc/>
    public bool Supports(CommitForm form) => true;

    /// <inheritdoc/>
    public async Task<ICommitEngine> CreateAsync(string folder, StoreSize size) =>
        new StoreCommitEngine(await Numbers.OpenAsync(folder, OptionsOf(size)));

    /// <inheritdoc/>
    public async Task<ICommitEngine> RecoverAsync(string folder, StoreSize size) =>
        new StoreCommitEngine(await Numbers.OpenAsync(folder, OptionsOf(size)));

    private StoreOptions OptionsOf(StoreSize size) =>
        NumbersOptions.For(size.Keys, size.LogBytes) with { PopulateMemory = populates };
}
