using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices.Folders;

namespace Faster.Opening;

/// <summary>What a folder says of the store that is being opened.</summary>
/// <param name="Files">The folder.</param>
/// <param name="Metadata">What does not change over the store's life.</param>
/// <param name="Catalog">The commits.</param>
/// <param name="Commit">The commit to recover; null for an empty store.</param>
/// <param name="Skipped">The damaged commits that are newer.</param>
internal sealed record FolderState(
    StoreFiles Files, StoreMetadata Metadata, CommitCatalog Catalog, CommitRecord? Commit,
    IReadOnlyList<DamagedDataException> Skipped);

/// <summary>
/// Opens a store in a folder, whatever its engine: an empty one, or in the state of the newest commit that can be
/// recovered (paper 004 §5.5).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No data in the folder that a commit covers is changed before the store is open.</item>
/// <item>No file is deleted before recovery has succeeded; of a store that has never committed, none but those that no
/// commit can name.</item>
/// </list>
/// <para>Thread-safe: no state.</para>
/// </remarks>
/// <typeparam name="TStore">The type of the store.</typeparam>
/// <param name="settle">
/// Makes the metadata of a new store, or checks those of an existing one against the options and the schema.
/// </param>
/// <param name="make">Makes the store, which then owns the files, and recovers it.</param>
internal sealed class FolderOpening<TStore>(
    Func<StoreMetadata?, StoreMetadata> settle, Func<FolderState, TStore> make)
    where TStore : class
{
    /// <summary>Whether an older commit may stand in for a damaged one.</summary>
    public required bool AllowsOlder { get; init; }

    /// <summary>Whether the folder must have a commit.</summary>
    public required bool MustExist { get; init; }

    /// <summary>Receives the progress; or null.</summary>
    public IProgress<RecoveryProgress>? Progress { get; init; }

    /// <summary>Opens a store in a folder, or in memory only, on a thread of the pool.</summary>
    /// <param name="path">The folder; null for none.</param>
    /// <param name="unbuffered">Whether large transfers bypass the system's cache where that is possible.</param>
    /// <param name="io">How to read and write the logs.</param>
    /// <param name="open">Opens the store over the folder's files, or over none.</param>
    /// <param name="ct">Cancels the opening before it begins.</param>
    /// <exception cref="StoreOpenException">The folder can't be used.</exception>
    public static Task<TStore> RunAsync(
        string? path, bool unbuffered, IOMode io, Func<StoreFiles?, TStore> open, CancellationToken ct) => Task.Run(
        () =>
        {
            if (path is not null) ForeignFolder.ThrowIfAny(path);
            return open(path is null ? null : FolderFiles.OpenFolder(path, unbuffered, io));
        },
        ct);

    /// <summary>Opens the store. The files are disposed of if it can't be opened.</summary>
    /// <exception cref="StoreOpenException">The folder can't be used.</exception>
    /// <exception cref="DamagedDataException">Data in the folder is damaged.</exception>
    public TStore Open(StoreFiles files)
    {
        try
        {
            return Recover(files);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or StorageException)
        {
            files.Dispose();
            throw new StoreOpenException(
                $"The store in '{files.Name}' can't be opened: {e.Message} Repair the folder, or open another.", e);
        }
        catch
        {
            files.Dispose();
            throw;
        }
    }

    private TStore Recover(StoreFiles files)
    {
        Progress?.Report(new RecoveryProgress(RecoveryStep.FindingCommit, 0, 0));
        StoreMetadata? known = StoreMetadata.TryRead(files);
        if (known is null && MustExist) throw NoCommit(files);
        StoreMetadata metadata = settle(known);
        CommitCatalog catalog = CatalogOf(files, metadata);
        List<DamagedDataException> skipped = [];
        CommitRecord? commit = known is null ? null : catalog.ReadNewest(AllowsOlder, skipped);
        if (commit is null)
        {
            if (MustExist) throw NoCommit(files);
            CommitCatalog.BeginEmpty(files);
            if (known is null) metadata.Publish(files);
            return make(new FolderState(files, metadata, catalog, null, skipped));
        }

        for (;;)
        {
            try
            {
                return make(new FolderState(files, metadata, catalog, commit, skipped));
            }
            catch (DamagedDataException e) when (AllowsOlder)
            {
                skipped.Add(e);
                catalog = CatalogOf(files, metadata);
                commit = catalog.ReadNewest(fallBack: true, skipped, below: commit.Version) ?? throw skipped[0];
            }
        }
    }

    private static CommitCatalog CatalogOf(StoreFiles files, StoreMetadata metadata) =>
        new(files, metadata.Identity) { IsUnmarked = !metadata.HasCommitted };

    private static StoreOpenException NoCommit(StoreFiles files) => new(
        $"There is no commit in '{files.Name}' to recover from. Call OpenAsync to create an empty store, or "
        + "name the folder that it was committed to.");
}
