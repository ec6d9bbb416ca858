using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Devices;

namespace Faster;

/// <summary>
/// Opens a store: an empty one, or what the newest commit in its folder says (paper 004 §5.5). Nothing in the folder
/// that a commit covers is changed before the store stands.
/// </summary>
internal static class StoreOpening<TProbe>
    where TProbe : struct, IProbe
{
    private const int SegmentsOfABudget = 32;

    /// <summary>Opens a store in a folder, or in memory only.</summary>
    public static async ValueTask<FasterStore<TProbe>> OpenAsync(
        string? path, StoreOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        _ = MemoryPlan.For(options); // checks the options before anything touches the disk
        OptionConflicts.ThrowIfAny(options, path);
        return await Task.Run(
            () =>
            {
                if (path is not null) ForeignFolder.ThrowIfAny(path);
                StoreFiles? files = path is null
                    ? null
                    : FolderFiles.OpenFolder(path, options.UnbufferedIO, options.Io);
                return Open(files, options, schema, mustExist, progress, ct);
            },
            ct).ConfigureAwait(false);
    }

    /// <summary>Opens a store over files, which are the store's then, or disposed of if it can't be opened.</summary>
    public static FasterStore<TProbe> Open(
        StoreFiles? files, StoreOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        try
        {
            return files is null
                ? new FasterStore<TProbe>(InMemory(options, schema), progress, ct)
                : Recover(files, options, schema, mustExist, progress, ct);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or StorageException)
        {
            files?.Dispose();
            throw new StoreOpenException(
                $"The store in '{files?.Name}' can't be opened: {e.Message} Mend the folder, or open another one.", e);
        }
        catch
        {
            files?.Dispose();
            throw;
        }
    }

    private static StoreBlueprint InMemory(StoreOptions options, RecordSchema schema)
    {
        MemoryPlan plan = MemoryPlan.For(options);
        return new StoreBlueprint
        {
            Options = options, Plan = plan, Metadata = StoreMetadata.New(schema, plan.PageBits, SegmentSizeOf(options)),
        };
    }

    // Space is given back by whole segments.
    private static ByteSize SegmentSizeOf(StoreOptions options) => options.DiskBudget.Bytes == 0
        ? options.SegmentSize
        : new ByteSize(Math.Min(options.SegmentSize.Bytes, options.DiskBudget.Bytes / SegmentsOfABudget));

    private static FasterStore<TProbe> Recover(
        StoreFiles files, StoreOptions options, RecordSchema schema, bool mustExist,
        IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        progress?.Report(new RecoveryProgress(RecoveryStep.FindingCommit, 0, 0));
        StoreMetadata? metadata = StoreMetadata.TryRead(files);
        if (metadata is null)
        {
            if (mustExist) throw NoCommit(files);
            StoreBlueprint fresh = InMemory(options, schema);
            CommitCatalog.BeginEmpty(files);
            fresh.Metadata.Publish(files);
            return Begin(fresh, files, progress, ct);
        }

        options = metadata.Apply(files.Name, schema, options);
        metadata = metadata with { Schema = schema };
        var catalog = new CommitCatalog(files, metadata.Identity);
        List<DamagedDataException> skipped = [];
        CommitRecord? commit = catalog.ReadNewest(options.FallBack, skipped);
        var blueprint = new StoreBlueprint
        {
            Options = options, Plan = MemoryPlan.ForFolder(options, files.Name, commit?.Index.BucketCount),
            Metadata = metadata, Files = files, Catalog = catalog, Skipped = skipped,
        };
        if (commit is null)
        {
            if (mustExist) throw NoCommit(files);
            CommitCatalog.BeginEmpty(files);
            return Begin(blueprint, files, progress, ct);
        }

        for (;;)
        {
            try
            {
                var store = new FasterStore<TProbe>(
                    blueprint with
                    {
                        Commit = commit,
                        Plan = MemoryPlan.ForFolder(options, files.Name, commit.Index.BucketCount),
                    },
                    progress, ct);
                return store;
            }
            catch (DamagedDataException e) when (options.FallBack)
            {
                skipped.Add(e);
                commit = catalog.ReadNewest(fallBack: true, skipped, below: commit.Version) ?? throw skipped[0];
            }
        }
    }

    private static FasterStore<TProbe> Begin(
        StoreBlueprint blueprint, StoreFiles files, IProgress<RecoveryProgress>? progress, CancellationToken ct) =>
        new(
            blueprint with { Files = files, Catalog = new CommitCatalog(files, blueprint.Metadata.Identity) },
            progress, ct);

    private static StoreOpenException NoCommit(StoreFiles files) => new(
        $"There is no commit in '{files.Name}' to recover from. Open the store by OpenAsync to begin an empty one, or "
        + "name the folder that it was committed to.");
}
