using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Memory;
using Faster.Opening;
using Faster.Threads;

namespace Faster.Engines;

/// <summary>
/// Opens a store: an empty one, or in the state of the newest commit in its folder (paper 004 §5.5).
/// </summary>
/// <remarks>Thread-safe: no state.</remarks>
internal static class StoreOpener
{
    private const int SegmentsOfABudget = 32;

    /// <summary>Opens a store in a folder, or in memory only.</summary>
    public static async ValueTask<FasterStore> OpenAsync(
        string? path, StoreOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct, ProcessMemory? memory = null,
        Func<StoreStart, FasterStore>? make = null)
    {
        MemoryPlan.Validate(options); // before anything touches the disk
        if (path is null || !StoreMetadata.IsIn(path)) _ = MemoryPlan.For(options); // a new store must fit, too
        (memory ?? ProcessMemory.Own).ThrowIfBelow(options.MemoryBudget, nameof(StoreOptions));
        OptionConflicts.ThrowIfAny(options, path);
        return await FolderOpening<FasterStore>.RunAsync(
            path, options.UnbufferedIO, options.IOMode,
            files => Open(files, options, schema, mustExist, progress, ct, make), ct).Here();
    }

    /// <summary>
    /// Opens a store over files. The store then owns the files; they are disposed if it cannot be opened.
    /// </summary>
    public static FasterStore Open(
        StoreFiles? files, StoreOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct, Func<StoreStart, FasterStore>? make = null)
    {
        FasterStore Make(StorePlan plan) =>
            (make ?? FasterStore.Plain)(new StoreStart(plan, progress, ct));

        if (files is null) return Make(InMemory(options, schema));
        StorePlan? fresh = null;
        StoreOptions settled = options;
        return new FolderOpening<FasterStore>(
            known =>
            {
                if (known is null) return (fresh = InMemory(options, schema)).Metadata;
                known.CheckEngine(files.Name, nameof(FasterEngine));
                settled = known.Apply(files.Name, schema, options);
                return known with { Schema = schema };
            },
            state => Make(
                (fresh ?? new StorePlan
                {
                    Options = settled, Metadata = state.Metadata,
                    Plan = MemoryPlan.ForFolder(
                        settled, files.Name, state.Commit?.IndexOf(CommittedLog.Main).BucketCount),
                }).In(state)))
        {
            AllowsOlder = options.AllowOlderCommit, MustExist = mustExist, Progress = progress,
        }.Open(files);
    }

    private static StorePlan InMemory(StoreOptions options, RecordSchema schema)
    {
        MemoryPlan plan = MemoryPlan.For(options, schema);
        return new StorePlan
        {
            Options = options, Plan = plan,
            Metadata = StoreMetadata.New(nameof(FasterEngine), schema, plan.PageBits, SegmentSizeOf(options)),
        };
    }

    // Disk space is released in whole segments.
    private static ByteSize SegmentSizeOf(StoreOptions options) => options.DiskBudget.Bytes == 0
        ? options.SegmentSize
        : new ByteSize(Math.Min(options.SegmentSize.Bytes, options.DiskBudget.Bytes / SegmentsOfABudget));
}
