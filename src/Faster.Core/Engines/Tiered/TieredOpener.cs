using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Memory;
using Faster.Opening;

namespace Faster.Engines.Tiered;

/// <summary>Opens a tiered store: an empty one, or in the state of the newest commit in its folder.</summary>
/// <remarks>Thread-safe: no state.</remarks>
internal static class TieredOpener
{
    /// <summary>Opens a store in a folder, or in memory only.</summary>
    public static async ValueTask<TieredStore> OpenAsync(
        string? path, TieredOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct, ProcessMemory? memory = null,
        Func<TieredStart, TieredStore>? make = null)
    {
        TieredShares.Validate(options); // before anything touches the disk
        if (path is not null && StoreMetadata.IsIn(path)) MemoryPlan.Validate(TieredShares.Undivided(options));
        else _ = TieredPlan.For(options, schema); // a new store must fit, too
        (memory ?? ProcessMemory.Own).ThrowIfBelow(options.MemoryBudget, nameof(TieredOptions));
        CheckColdFolder(path, options);
        bool hasFiles = options.HotDevice is null || options.ColdDevice is null || options.ColdIndexDevice is null;
        OptionConflicts.ThrowIfAny(
            TieredShares.Undivided(options) with
            {
                Device = hasFiles ? null : options.HotDevice, SegmentSize = options.SegmentSize,
            },
            path, nameof(TieredOptions));
        ct.ThrowIfCancellationRequested();
        return await FolderOpening<TieredStore>.RunAsync(
            path, options.UnbufferedIO, options.IOMode,
            files => Open(files, options, schema, mustExist, progress, ct, make: make), ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Opens a store over files. The store then owns the files; they are disposed of if it can't be opened.
    /// </summary>
    public static TieredStore Open(
        StoreFiles? files, TieredOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct,
        Func<string, bool, StoreFiles?>? openFolder = null, Func<TieredStart, TieredStore>? make = null)
    {
        TieredStore Make(TieredPlan plan) =>
            (make ?? TieredStore.Plain)(new TieredStart(plan, progress, ct));

        if (files is null) return Make(TieredPlan.For(options, schema));
        TieredPlan? fresh = null;
        SplitFiles? split = options.ColdFolder is null ? null : new(files, StoreFileNames.IsOfColdTier);
        ColdFolder? cold = split is null ? null : new(
            split, Path.GetFullPath(options.ColdFolder!),
            openFolder ?? ((name, mustExist) => OpenFolder(name, mustExist, options)));
        try
        {
            return new FolderOpening<TieredStore>(
                known =>
                {
                    StoreMetadata metadata = Settle(known, files.Name, options, schema, ref fresh);
                    cold?.Take(metadata);
                    return metadata;
                },
                state =>
                {
                    cold?.Settle(state);
                    long? buckets = state.Commit?.IndexOf(CommittedLog.Main).BucketCount;
                    return Make(
                        (fresh ?? TieredPlan.Of(options, state.Metadata, files.Name, buckets)).In(state));
                })
            {
                AllowsOlder = options.AllowOlderCommit, MustExist = mustExist, Progress = progress,
            }.Open(split ?? files);
        }
        catch (DamagedDataException e) when (cold is not null && ColdFolder.Holds(e))
        {
            throw cold.Explained(e);
        }
    }

    private static StoreMetadata Settle(
        StoreMetadata? known, string folder, TieredOptions options, RecordSchema schema, ref TieredPlan? fresh)
    {
        if (known is null) return (fresh = TieredPlan.For(options, schema)).Hot.Metadata;
        known.CheckEngine(folder, nameof(TieredEngine));
        known.CheckSchema(folder, schema);
        known.CheckPageSize(folder, options.PageSize, nameof(TieredOptions));
        CheckChunkSize(folder, known.ColdIndex!, options);
        ColdFolder.Check(folder, known, options.ColdFolder);
        return known with { Schema = schema };
    }

    private static FolderFiles? OpenFolder(string path, bool mustExist, TieredOptions options) =>
        mustExist && !Directory.Exists(path)
            ? null
            : FolderFiles.OpenFolder(path, options.UnbufferedIO, options.IOMode);

    private static void CheckColdFolder(string? path, TieredOptions options)
    {
        if (options.ColdFolder is not { } cold) return;
        string? reason = path is null ? "the path is null, and a store without a folder has no files"
            : options.ColdDevice is not null || options.ColdIndexDevice is not null
                ? "ColdDevice or ColdIndexDevice replaces files of the cold tier"
            : IsSame(path, cold) ? $"it is the store's own folder '{path}'"
            : null;
        if (reason is null) return;
        throw new StoreOpenException(
            $"TieredOptions.ColdFolder can't be honored: {reason}. Leave ColdFolder null, or change the other one.");
    }

    private static bool IsSame(string one, string other) =>
        Path.TrimEndingDirectorySeparator(Path.GetFullPath(one))
            == Path.TrimEndingDirectorySeparator(Path.GetFullPath(other));

    private static void CheckChunkSize(string folder, ColdIndexShape shape, TieredOptions options)
    {
        var own = new ByteSize(shape.ChunkBytes);
        if (options.ChunkSize == own || options.ChunkSize == new TieredOptions().ChunkSize) return;
        throw new StoreOpenException(
            $"The store in '{folder}' has hash chunks of {own}, but TieredOptions.ChunkSize asks for "
            + $"{options.ChunkSize}. Leave it at its default to use the store's size.");
    }
}
