using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>A generated store with its log and commits in a folder, and enough memory for all of the log.</summary>
internal sealed class StoreCommitEngine(Numbers.Store store) : ICommitEngine
{
    /// <inheritdoc/>
    public long LogBytes
    {
        get
        {
            StoreStatistics statistics = store.Statistics;
            return statistics.TailAddress - statistics.BeginAddress;
        }
    }

    /// <inheritdoc/>
    public IWorker StartWorker() => new StoreClient(store.StartSession());

    /// <inheritdoc/>
    public Task CommitAsync(CommitForm form, bool withIndex) => store.CommitAsync(KindOf(form), withIndex);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    private static CommitKind KindOf(CommitForm form) => form switch
    {
        CommitForm.FoldOver => CommitKind.FoldOver,
        CommitForm.Snapshot => CommitKind.Snapshot,
        _ => CommitKind.Incremental,
    };
}
