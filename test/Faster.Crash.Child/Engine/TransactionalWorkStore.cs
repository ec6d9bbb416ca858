using Faster.Contracts;
using Faster.Crash.Workloads;
using Faster.Devices.Folders;
using Faster.Engines.Transactional;
using Faster.Tiers;

namespace Faster.Crash.Engine;

/// <summary>The transactional store as workloads use it. Its index grows by itself.</summary>
/// <param name="store">The store.</param>
/// <param name="bytes">Whether its keys and values are bytes, not numbers.</param>
internal sealed class TransactionalWorkStore(TransactionalStore store, bool bytes) : IWorkStore
{
    /// <summary>The options of a small store. Closing it does not commit: the schedule has all commits.</summary>
    public static readonly TransactionalOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), CommitOnDispose = false,
    };

    /// <summary>
    /// The same with each transaction durable: the log is so small that the store commits by itself to free it.
    /// </summary>
    public static readonly TransactionalOptions Logged = Small with
    {
        Durability = Durability.EachOperation, OperationLogSize = ByteSize.KiB(64),
    };

    /// <inheritdoc/>
    public event Action<Commit>? Committed
    {
        add => store.Committed += value;
        remove => store.Committed -= value;
    }

    /// <inheritdoc/>
    public IReadOnlyList<CommitPoint>? Recovered => store.Recovery?.Sessions;

    /// <inheritdoc/>
    public IReadOnlyList<Commit> Scannable => store.ScannableCommits;

    /// <summary>What the store's parts share.</summary>
    public StoreCore Core => store.Core;

    /// <summary>Opens the store of files, whatever is in them.</summary>
    public static TransactionalWorkStore Open(StoreFiles files, TransactionalOptions options, bool bytes) => new(
        new TransactionalOpener<TransactionalStore>(
            options, FasterWorkStore.SchemaOf(bytes), static start => new TransactionalStore(start)).Open(
            files, mustExist: false, null, default),
        bytes);

    /// <summary>Opens the store of a folder, whatever is in it.</summary>
    public static async Task<TransactionalWorkStore> OpenAsync(
        string path, TransactionalOptions options, bool bytes) => new(
        await TransactionalStore.OpenAsync(path, options, FasterWorkStore.SchemaOf(bytes), default)
            .ConfigureAwait(false),
        bytes);

    /// <inheritdoc/>
    public IAsyncEnumerable<(int Key, byte[] Value)> ScanAsync(Commit commit) =>
        store.Analytics.ScanAsync(new ScanOptions { AsOf = commit }, TieredWorkStore.Decode);

    /// <inheritdoc/>
    public IWorkSession Start(string? name) =>
        FasterWorkStore.SessionOf(store.StartSession(name), bytes, merges: false);

    /// <inheritdoc/>
    public async Task<IReadOnlyList<CommitPoint>> CommitAsync(CommitKind kind, bool withIndex) =>
        (await store.CommitAsync().ConfigureAwait(false)).Points;

    /// <inheritdoc/>
    public Task CheckpointIndexAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public Task GrowAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public Task ShrinkAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();
}
