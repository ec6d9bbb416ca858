using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Engines.Transactional.Capture;
using Faster.Memory;
using Faster.Opening;
using Faster.Tables;
using Faster.Threads;

namespace Faster.Engines.Transactional;

/// <summary>Opens a transactional store: in memory only, or in the state of the newest commit in its folder.</summary>
/// <remarks>Thread-safe: no state.</remarks>
/// <typeparam name="TStore">The type of the store.</typeparam>
/// <param name="options">The options.</param>
/// <param name="schema">The layout of the records.</param>
/// <param name="make">Makes the store, which then owns the files, and recovers it.</param>
internal sealed class TransactionalOpener<TStore>(
    TransactionalOptions options, RecordSchema schema, Func<TransactionalStart, TStore> make)
    where TStore : TransactionalStore
{
    private const int PartOfIndex = 4; // of the budget, at most, for the keys of the recovered commit

    /// <summary>Opens the store in a folder, or in memory only.</summary>
    public Task<TStore> OpenAsync(
        string? path, bool mustExist, IProgress<RecoveryProgress>? progress, CancellationToken ct,
        ProcessMemory? memory = null)
    {
        options.Validate();
        (memory ?? ProcessMemory.Own).ThrowIfBelow(options.MemoryBudget, nameof(TransactionalOptions));
        if (path is null) ThrowIfFolderIsNeeded();
        if (options.Durability == Durability.Commits && options.OperationLogSize.Bytes != 0)
        {
            throw new StoreOpenException(
                $"{nameof(TransactionalOptions)}.{nameof(options.OperationLogSize)} can't be honored: Durability is "
                + "Commits, and the store has no operation log. Set Durability, or leave OperationLogSize at its "
                + "default.");
        }

        return FolderOpening<TStore>.RunAsync(
            path, unbuffered: true, IOMode.Auto, files => Open(files, mustExist, progress, ct), ct);
    }

    /// <summary>
    /// Opens the store over files, or in memory only. The files are disposed of if it can't be opened.
    /// </summary>
    public TStore Open(
        StoreFiles? files, bool mustExist, IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        StorePlan fresh = Plan(options.ExpectedKeys);
        if (files is null) return make(new TransactionalStart(options, fresh, progress, ct));
        return new FolderOpening<TStore>(
            known =>
            {
                known?.CheckEngine(files.Name, nameof(TransactionalEngine));
                known?.CheckSchema(files.Name, schema);
                return known is null ? fresh.Metadata : known with { Schema = schema };
            },
            state => make(new TransactionalStart(
                options, (Plan(KeysOf(state.Commit)) with { Metadata = state.Metadata }).In(state), progress, ct)))
        {
            AllowsOlder = options.AllowOlderCommit, MustExist = mustExist, Progress = progress,
        }.Open(files);
    }

    private StorePlan Plan(long expectedKeys)
    {
        long words = AbsentKeyLocks.BytesFor(options.MemoryBudget.Bytes) + options.LogShape.Bytes;
        var tier = new StoreOptions
        {
            MemoryBudget = new ByteSize(options.MemoryBudget.Bytes - words), ExpectedKeys = expectedKeys,
            CloseTimeout = options.CloseTimeout, Allocator = RecordAllocatorKind.InMemory,
            CommitKind = CommitKind.Snapshot, CommitEvery = options.CommitEvery,
            CommitOnDispose = options.CommitOnDispose,
        };
        MemoryPlan memoryPlan = MemoryPlan.For(tier, schema);
        return new StorePlan
        {
            Options = tier, Plan = memoryPlan,
            Metadata = StoreMetadata.New(nameof(TransactionalEngine), schema, memoryPlan.PageBits, tier.SegmentSize),
        };
    }

    // So many that the index need not grow while the records are restored, unless it would take too much of the budget.
    private long KeysOf(CommitRecord? commit)
    {
        long inFile = commit is null ? 0 : commit.PartOf(TableFile.PartName).File!.Bytes / TableFile.LeastBytes(schema);
        long most = MemoryPlan.KeysOf(options.MemoryBudget.Bytes / PartOfIndex);
        return Math.Max(options.ExpectedKeys, Math.Min(inFile, most));
    }

    private void ThrowIfFolderIsNeeded()
    {
        if (options.CommitEvery != TimeSpan.Zero) throw NeedsFolder(nameof(options.CommitEvery));
        if (options.AllowOlderCommit) throw NeedsFolder(nameof(options.AllowOlderCommit));
        if (options.Durability != Durability.Commits) throw NeedsFolder(nameof(options.Durability));
    }

    private static StoreOpenException NeedsFolder(string option) => new(
        $"TransactionalOptions.{option} is set, but the path is null, and a store without a folder can't commit. Pass "
        + $"a path, or leave {option} at its default.");
}
