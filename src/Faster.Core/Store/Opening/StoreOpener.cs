using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;

namespace Faster.Store.Opening;

/// <summary>
/// Opens a store: an empty one, or in the state of the newest commit in its folder (paper 004 §5.5).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No data in the folder that a commit covers is changed before the store is open.</item>
/// </list>
/// <para>Thread-safe: no state.</para>
/// </remarks>
internal static class StoreOpener<TProbe>
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
                    : FolderFiles.OpenFolder(path, options.UnbufferedIO, options.IOMode);
                return Open(files, options, schema, mustExist, progress, ct);
            },
            ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Opens a store over files. The store then owns the files; they are disposed if it cannot be opened.
    /// </summary>
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
                $"The store in '{files?.Name}' can't be opened: {e.Message} Repair the folder, or open another.", e);
        }
        catch
        {
            files?.Dispose();
            throw;
        }
    }

    private static StorePlan InMemory(StoreOptions options, RecordSchema schema)
    {
        MemoryPlan plan = MemoryPlan.For(options, schema);
        return new StorePlan
        {
            Options = options, Plan = plan, Metadata = StoreMetadata.New(schema, plan.PageBits, SegmentSizeOf(options)),
        };
    }

    // Disk space is released in whole segments.
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
            StorePlan fresh = InMemory(options, schema);
            CommitCatalog.BeginEmpty(files);
            fresh.Metadata.Publish(files);
            return Begin(fresh, files, progress, ct);
        }

        options = metadata.Apply(files.Name, schema, options);
        metadata = metadata with { Schema = schema };
        var catalog = new CommitCatalog(files, metadata.Identity);
        List<DamagedDataException> skipped = [];
        CommitRecord? commit = catalog.ReadNewest(options.AllowOlderCommit, skipped);
        var storePlan = new StorePlan
        {
            Options = options, Plan = MemoryPlan.ForFolder(options, files.Name, commit?.Index.BucketCount),
            Metadata = metadata, Files = files, Catalog = catalog, Skipped = skipped,
        };
        if (commit is null)
        {
            if (mustExist) throw NoCommit(files);
            CommitCatalog.BeginEmpty(files);
            return Begin(storePlan, files, progress, ct);
        }

        for (;;)
        {
            try
            {
                var store = new FasterStore<TProbe>(
                    storePlan with
                    {
                        Commit = commit,
                        Plan = MemoryPlan.ForFolder(options, files.Name, commit.Index.BucketCount),
                    },
                    progress, ct);
                return store;
            }
            catch (DamagedDataException e) when (options.AllowOlderCommit)
            {
                skipped.Add(e);
                commit = catalog.ReadNewest(fallBack: true, skipped, below: commit.Version) ?? throw skipped[0];
            }
        }
    }

    private static FasterStore<TProbe> Begin(
        StorePlan storePlan, StoreFiles files, IProgress<RecoveryProgress>? progress, CancellationToken ct) =>
        new(
            storePlan with { Files = files, Catalog = new CommitCatalog(files, storePlan.Metadata.Identity) },
            progress, ct);

    private static StoreOpenException NoCommit(StoreFiles files) => new(
        $"There is no commit in '{files.Name}' to recover from. Call OpenAsync to create an empty store, or "
        + "name the folder that it was committed to.");
}
