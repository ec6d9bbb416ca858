using System.Collections.Concurrent;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Experiments;

/// <summary>An engine that keeps its commits in memory, and may forget some of them.</summary>
internal sealed class FakeSource : ICommitEngineSource
{
    private readonly ConcurrentDictionary<string, KeyValuePair<long, long>[]> _committed = new();

    /// <summary>Changes what a commit keeps, for the worse.</summary>
    public Func<KeyValuePair<long, long>, bool> Keeps { get; init; } = _ => true;

    /// <inheritdoc/>
    public string Name => "fake";

    /// <inheritdoc/>
    public bool Supports(CommitForm form) => true;

    /// <inheritdoc/>
    public Task<ICommitEngine> CreateAsync(string folder, StoreSize size) =>
        Task.FromResult<ICommitEngine>(new FakeEngine(
            [], pairs => _committed[folder] = [.. pairs.Where(Keeps)]));

    /// <inheritdoc/>
    public Task<ICommitEngine> RecoverAsync(string folder, StoreSize size) =>
        Task.FromResult<ICommitEngine>(new FakeEngine(_committed[folder], _ => { }));
}
