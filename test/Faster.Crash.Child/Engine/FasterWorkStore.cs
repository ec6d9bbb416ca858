using Faster.Contracts;
using Faster.Crash.Workloads;
using Faster.Engines;

namespace Faster.Crash.Engine;

/// <summary>The FASTER store as workloads use it.</summary>
/// <param name="store">The store.</param>
/// <param name="bytes">Whether its keys and values are bytes, not numbers.</param>
/// <param name="beforeCommit">Called before each commit, or null.</param>
/// <param name="merges">Whether what is appended to bytes is merged.</param>
public sealed class FasterWorkStore(
    FasterStore store, bool bytes, Action? beforeCommit = null, bool merges = false) : IWorkStore
{
    /// <inheritdoc/>
    public event Action<Commit>? Committed
    {
        add => store.Committed += value;
        remove => store.Committed -= value;
    }

    /// <summary>The store itself.</summary>
    public FasterStore Store => store;

    /// <inheritdoc/>
    public IReadOnlyList<CommitPoint>? Recovered => store.Recovery?.Sessions;

    /// <inheritdoc/>
    public bool MovedLarge { get; private set; }

    /// <summary>The shape of the records.</summary>
    public static RecordSchema SchemaOf(bool bytes, bool merges = false) => merges ? MergedEntryOperations.Schema
        : bytes ? EntryOperations.Schema
        : NumberOperations.Schema;

    /// <summary>A session of a store as workloads use it.</summary>
    public static IWorkSession SessionOf(ICommitSession session, bool bytes, bool merges) => merges
            ? new EntrySession<MergedEntryOperations.Read, MergedEntryOperations.Append>(
                session, static found => new(found), static (entry, awaited) => new(entry, awaited))
        : bytes ? new EntrySession(session)
        : new NumberSession(session);

    /// <summary>
    /// Opens the store of a folder, whatever is in it. Closing it does not commit: the schedule has all commits.
    /// </summary>
    public static async Task<FasterWorkStore> OpenAsync(string path, StoreOptions options, bool bytes) => new(
        await FasterStore
            .OpenAsync(path, options with { CommitOnDispose = false }, SchemaOf(bytes), default)
            .ConfigureAwait(false),
        bytes);

    /// <inheritdoc/>
    public IWorkSession Start(string? name) => SessionOf(store.StartSession(name), bytes, merges);

    /// <inheritdoc/>
    public async Task<IReadOnlyList<CommitPoint>> CommitAsync(CommitKind kind, bool withIndex)
    {
        beforeCommit?.Invoke();
        return (await store.CommitAsync(kind, withIndex).ConfigureAwait(false)).Points;
    }

    /// <inheritdoc/>
    public Task CheckpointIndexAsync() => store.CheckpointIndexAsync();

    /// <inheritdoc/>
    public Task GrowAsync() => TryAsync(store.GrowIndexAsync);

    /// <inheritdoc/>
    public Task ShrinkAsync() => TryAsync(store.ShrinkIndexAsync);

    /// <inheritdoc/>
    public async Task CompactAsync()
    {
        StoreStatistics now = store.Statistics;
        CompactionResult moved =
            await store.CompactAsync((now.BeginAddress + now.TailAddress) / 2).ConfigureAwait(false);

        // Records that each fit a page cannot make this many bytes.
        MovedLarge |= moved.BytesCopied > moved.RecordsCopied * store.Options.PageSize.Bytes;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    private static async Task TryAsync(Func<CancellationToken, Task> resize)
    {
        try
        {
            await resize(default).ConfigureAwait(false);
        }
        catch (LimitExceededException)
        {
            // It has its largest or smallest size.
        }
    }
}
