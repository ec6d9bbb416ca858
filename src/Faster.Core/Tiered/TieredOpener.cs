using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Store.Opening;

namespace Faster.Tiered;

/// <summary>Opens a tiered store: an empty one, or in the state of the newest commit in its folder.</summary>
/// <remarks>Thread-safe: no state.</remarks>
internal static class TieredOpener<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Opens a store in a folder, or in memory only.</summary>
    public static async ValueTask<TieredStore<TProbe>> OpenAsync(
        string? path, TieredOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        _ = TieredPlan.For(options, schema); // checks the options before anything touches the disk
        bool hasFiles = options.HotDevice is null || options.ColdDevice is null || options.ColdIndexDevice is null;
        OptionConflicts.ThrowIfAny(
            TieredShares.Hot(options, schema) with
            {
                Device = hasFiles ? null : options.HotDevice, SegmentSize = options.SegmentSize,
            },
            path, nameof(TieredOptions));
        ct.ThrowIfCancellationRequested();
        return await FolderOpening<TieredStore<TProbe>>.RunAsync(
            path, options.UnbufferedIO, options.IOMode,
            files => Open(files, options, schema, mustExist, progress, ct), ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Opens a store over files. The store then owns the files; they are disposed of if it can't be opened.
    /// </summary>
    public static TieredStore<TProbe> Open(
        StoreFiles? files, TieredOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        if (files is null) return new TieredStore<TProbe>(TieredPlan.For(options, schema));
        TieredPlan? fresh = null;
        return new FolderOpening<TieredStore<TProbe>>(
            known =>
            {
                if (known is null) return (fresh = TieredPlan.For(options, schema)).Hot.Metadata;
                known.CheckTiers(files.Name, hasCold: true);
                known.CheckSchema(files.Name, schema);
                known.CheckPageSize(files.Name, options.PageSize, nameof(TieredOptions));
                CheckChunkSize(files.Name, known.ColdIndex!, options);
                return known with { Schema = schema };
            },
            state => new TieredStore<TProbe>(
                (fresh ?? TieredPlan.Of(options, state.Metadata, files.Name, state.Commit?.Index.BucketCount))
                .In(state),
                progress, ct))
        {
            AllowsOlder = options.AllowOlderCommit, MustExist = mustExist, Progress = progress,
        }.Open(files);
    }

    private static void CheckChunkSize(string folder, ColdIndexShape shape, TieredOptions options)
    {
        var own = new ByteSize(shape.ChunkBytes);
        if (options.ChunkSize == own || options.ChunkSize == new TieredOptions().ChunkSize) return;
        throw new StoreOpenException(
            $"The store in '{folder}' has hash chunks of {own}, but TieredOptions.ChunkSize asks for "
            + $"{options.ChunkSize}. Leave it at its default to use the store's size.");
    }
}
