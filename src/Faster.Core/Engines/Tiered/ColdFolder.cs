using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Opening;

namespace Faster.Engines.Tiered;

/// <summary>
/// The folder of a cold tier that lies apart from its store's folder: takes it, and makes sure that it is the store's,
/// and of the same moment (docs/internals/store-folder.md#a-cold-tier-apart).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing is changed in a folder that is not the store's.</item>
/// <item>A folder with the cold tier of a commit has the mark of the store: it was durable before the commit.</item>
/// </list>
/// <para>Used while the store is opened. Not thread-safe.</para>
/// </remarks>
/// <param name="files">The store's folder, to which this attaches the cold one. The caller disposes of it.</param>
/// <param name="path">The folder of the cold tier.</param>
/// <param name="open">
/// Opens a folder and takes its lock; null if the folder does not exist and may not be made.
/// </param>
internal sealed class ColdFolder(SplitFiles files, string path, Func<string, bool, StoreFiles?> open)
{
    private const string Option = $"{nameof(TieredOptions)}.{nameof(TieredOptions.ColdFolder)}";

    private bool _hasMark;

    /// <summary>Refuses a store whose cold tier lies in its own folder, or apart, when asked otherwise.</summary>
    /// <param name="store">The store's folder, for messages.</param>
    /// <param name="known">The store's metadata.</param>
    /// <param name="path">The folder that was requested for the cold tier; null: the store's own.</param>
    /// <exception cref="StoreOpenException">It does not fit.</exception>
    public static void Check(string store, StoreMetadata known, string? path)
    {
        if (known.ColdFolder is null == path is null) return;
        throw new StoreOpenException(
            path is null
                ? $"The cold tier of the store in '{store}' lies in another folder, which was '{known.ColdFolder}' "
                    + $"when the store was made. Name the folder by {Option}: it is not opened by itself, because the "
                    + "store may be a copy."
                : $"The store in '{store}' has its cold tier in its own folder, not in '{path}'. Leave {Option} null; "
                    + "to move the tier, copy the records to a new store by an export.");
    }

    /// <summary>Takes the folder's lock and looks whether it is the store's. Changes no file.</summary>
    /// <param name="metadata">The metadata of the store, known or new.</param>
    /// <exception cref="StoreOpenException">It is missing, in use, another store's, or can't be used.</exception>
    /// <exception cref="DamagedDataException">Its mark is damaged.</exception>
    public void Take(StoreMetadata metadata)
    {
        bool hasCommit = files.List().Contains(StoreFileNames.Commits);
        if (!hasCommit) ForeignFolder.ThrowIfAny(path, ofColdTier: true);
        StoreFiles cold = open(path, hasCommit) ?? throw Missing("does not exist");
        files.Attach(cold);
        ColdFolderMark? mark = ColdFolderMark.TryRead(cold);
        _hasMark = mark is not null;
        if (mark is null)
        {
            if (hasCommit) throw Missing($"has no file '{ColdFolderMark.FileName}'");
            return;
        }

        if (mark.Identity == metadata.Identity) return;
        throw new StoreOpenException(
            $"'{path}' holds the cold tier of another store, made in '{mark.Owner}', not of the one in '{files.Name}'. "
            + $"Name the folder of this store by {Option}, or one that is empty for a new store; if the other store no "
            + "longer exists, delete its files.");
    }

    /// <summary>Marks the folder of a new store, or looks whether it has the segments of a commit.</summary>
    /// <param name="state">The state of both folders; a new store's metadata are durable.</param>
    /// <exception cref="DamagedDataException">A segment that the commit needs does not exist.</exception>
    /// <exception cref="StorageException">The mark can't be written.</exception>
    public void Settle(FolderState state)
    {
        if (state.Commit is not { } commit)
        {
            if (!_hasMark) new ColdFolderMark(state.Metadata.Identity, files.Name).Publish(files);
            _hasMark = true;
            return;
        }

        HashSet<string> there = [.. files.List()];
        StoreMetadata metadata = state.Metadata;
        ColdIndexShape index = metadata.ColdIndex!;
        CheckSegments(there, commit.PartOf(StoreFileNames.ColdLog), metadata.PageBits, metadata.SegmentBytes);
        CheckSegments(there, commit.PartOf(StoreFileNames.ChunkLog), index.PageBits, index.SegmentBytes);
    }

    /// <summary>Explains damage in the folder: it may be of another moment than the store's.</summary>
    public DamagedDataException Explained(DamagedDataException damage) => new(
        $"{damage.Message} The file belongs to the cold tier in '{path}' of the store in '{files.Name}': if one of the "
        + "folders is an older copy than the other, restore both from copies of the same moment.", damage)
    {
        Path = damage.Path, Offset = damage.Offset,
    };

    /// <summary>Whether a damaged file lies in the folder.</summary>
    public static bool Holds(DamagedDataException damage) =>
        damage.Path is { } file && StoreFileNames.IsOfColdTier(System.IO.Path.GetFileName(file));

    private void CheckSegments(HashSet<string> there, CommittedPart part, int pageBits, long segmentBytes)
    {
        CommittedLog log = part.Log!;
        if (log.EndAddress <= log.BeginAddress) return;
        long pages = segmentBytes / new BlockGeometry(pageBits).PageStride;
        long last = ((log.EndAddress - 1) >> pageBits) / pages;
        for (long segment = (log.BeginAddress >> pageBits) / pages; segment <= last; segment++)
        {
            string name = StoreFileNames.Segment(part.Name, segment);
            if (there.Contains(name)) continue;
            throw new DamagedDataException($"'{name}' does not exist, but the last commit needs it.")
            {
                Path = System.IO.Path.Combine(path, name), Offset = 0,
            };
        }
    }

    private StoreOpenException Missing(string why) => new(
        $"The cold tier of the store in '{files.Name}' can't be found: the folder '{path}' {why}. Mount its disk, or "
        + $"name the folder to which it was moved by {Option}; without it the store can't be recovered.");
}
