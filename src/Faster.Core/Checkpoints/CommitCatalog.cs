using Faster.Checkpoints.Files;
using Faster.Checkpoints.Snapshots;
using Faster.Devices.Folders;
using Faster.Invariants;

namespace Faster.Checkpoints;

/// <summary>
/// The commits in a store's folder: finds the newest one that can be trusted, publishes new ones, and removes files
/// that are no longer needed (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A commit record has its final name only when its content, and all files that it names, are durable.</item>
/// <item>A record is the newest commit from the moment at which <see cref="Publish"/> returns, and the store's metadata
/// say then that it has committed.</item>
/// <item>The newest two generations and all files that they name are never removed. So the record before the newest one
/// is there as long as that is the newest: if it is not, a newer one has been lost.</item>
/// <item>Reading removes nothing.</item>
/// <item>Each published version is higher than those that are kept.</item>
/// </list>
/// <para>Not thread-safe: recovery uses it first, then one coordinator.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity.</param>
internal sealed class CommitCatalog(StoreFiles files, ulong storeIdentity)
{
    private const int Generations = 2;

    private readonly List<CommitRecord> _kept = []; // newest first
    private readonly Queue<string> _unneeded = new();
    private bool _hasSkipped;
    private bool _hasUnsyncedName; // of a record
    private bool _isMarked;

    /// <summary>Whether the store's metadata do not say yet that it has committed.</summary>
    public bool IsUnmarked { get; init; }

    /// <summary>
    /// The generations that are kept, newest first. Empty until <see cref="Adopt"/> or the first <see cref="Publish"/>.
    /// </summary>
    public IReadOnlyList<CommitRecord> Kept => _kept;

    /// <summary>The lowest begin address of a log in the generations that are kept; 0 when there are none.</summary>
    /// <param name="log">The log's name.</param>
    public long MinBeginOf(string log) => _kept.SelectMany(static record => record.Parts)
        .Where(part => part.Name == log).Select(static part => part.Log!.BeginAddress).DefaultIfEmpty().Min();

    /// <summary>The snapshots that the kept generations name.</summary>
    public SnapshotFileRefs Snapshots { get; } = new(files, storeIdentity);

    /// <summary>
    /// The versions whose records are in the folder, whether they can be trusted or not, newest first.
    /// </summary>
    public long[] Versions() => [.. files.List()
        .Select(static name => StoreFileNames.IsCommit(name, out long version) ? version : -1)
        .Where(static version => version >= 0).OrderDescending()];

    /// <summary>Finds the newest record that can be trusted; null when the folder has no record.</summary>
    /// <param name="fallBack">Whether to return an older record when the newest can't be trusted.</param>
    /// <param name="skipped">Gets the reason for each record that can't be trusted.</param>
    /// <param name="below">
    /// Only records of versions below this one, for a caller that has found damage inside a file of this version.
    /// </param>
    /// <exception cref="DamagedDataException">
    /// The newest record, or a file that it names, is missing or can't be trusted; with <paramref name="fallBack"/>: no
    /// record can.
    /// </exception>
    /// <exception cref="StorageException">The folder can't be read.</exception>
    public CommitRecord? ReadNewest(
        bool fallBack, ICollection<DamagedDataException> skipped, long below = long.MaxValue)
    {
        DamagedDataException? newest = skipped.FirstOrDefault();
        long[] all = Versions();
        foreach (long version in all.Where(version => version < below))
        {
            try
            {
                CommitRecord record = Read(version);
                if (version != all[0] || record.Previous == 0 || all.Contains(record.Previous)) return record;
                DamagedDataException lost = Lost(record);
                if (!fallBack) throw lost;
                skipped.Add(lost);
                return record;
            }
            catch (DamagedDataException e) when (fallBack)
            {
                skipped.Add(e);
                newest ??= e;
            }
        }

        return newest is null ? null : throw newest;
    }

    /// <summary>Reads a record, and checks that the files that it names exist and have the right length.</summary>
    /// <exception cref="DamagedDataException">The record can't be trusted.</exception>
    /// <exception cref="StorageException">The record can't be read.</exception>
    public CommitRecord Read(long version)
    {
        string name = StoreFileNames.Commit(version);
        byte[] bytes = MetadataFile.Read(files, name, MetadataKind.Commit, out string path);
        CommitRecord record = CommitRecordFile.Decode(path, bytes, storeIdentity);
        if (record.Version != version)
        {
            throw MetadataKind.Commit.Damaged(
                path, CommitRecordFile.VersionAt, $"it is the record of version {record.Version}");
        }

        foreach (FileReference file in NamedFiles(record)) CheckLength(file, name);
        return record;
    }

    /// <summary>
    /// Continues from a record that has been recovered: makes its name durable, and removes what was never published or
    /// is no longer needed.
    /// </summary>
    /// <exception cref="StorageException">The folder can't be read or written.</exception>
    public void Adopt(CommitRecord record)
    {
        _kept.Add(record);
        List<DamagedDataException> useless = [];
        try
        {
            if (ReadNewest(fallBack: true, useless, below: record.Version) is { } older) _kept.Add(older);
        }
        catch (DamagedDataException)
        {
            // No older record can be trusted: there is one generation.
        }

        foreach (CommitRecord kept in _kept) Keep(kept);
        _hasSkipped = Versions().Any(version => version > record.Version);

        // The process that published the record may have died before it synced the name. Until that is durable, a power
        // cut may lead to the commit before, with the records that it had then.
        files.SyncNames();
        NoteCommitted();
        RetireAllOthers();
        RemoveUnneeded();
    }

    /// <summary>
    /// Prepares the folder of a store that has never committed, as its metadata say: removes all other files of the
    /// store.
    /// </summary>
    /// <exception cref="StorageException">The folder can't be read or written.</exception>
    public static void BeginEmpty(StoreFiles files)
    {
        foreach (string name in files.List())
        {
            bool ours = StoreFileNames.IsSegment(name) || StoreFileNames.IsCapture(name)
                || StoreFileNames.IsTemporary(name)
                || StoreFileNames.IsExpiries(name);
            if (ours) files.Delete(name);
        }

        files.SyncNames();
    }

    /// <summary>
    /// Makes a record durable: from then on it is the newest commit. The content of the files that it names is durable
    /// already. Deletes later records, which recovery has skipped.
    /// </summary>
    /// <exception cref="StorageException">
    /// The record is not known to be durable; after a failed sync it may be durable or not.
    /// </exception>
    public void Publish(CommitRecord record)
    {
        Invariant.Check(
            _kept.Count == 0 || record.Version > _kept[0].Version,
            $"version {record.Version} is published after {(_kept.Count == 0 ? 0 : _kept[0].Version)}");
        record = record with { Previous = _kept.Count == 0 ? 0 : _kept[0].Version };
        string name = StoreFileNames.Commit(record.Version);
        MetadataFile.Prepare(files, name, CommitRecordFile.Encode(record, storeIdentity));
        HashSet<string> known = NeededFiles();
        if (_hasUnsyncedName || NamedFiles(record).Any(file => !known.Contains(file.FileName))) files.SyncNames();
        if (_hasSkipped)
        {
            foreach (long later in Versions().Where(version => version > record.Version))
                files.Delete(StoreFileNames.Commit(later));
        }

        files.Rename(name + MetadataFile.TemporarySuffix, name);

        // From here on a crash may lead to this commit: it is kept even if its name can't be synced now, and the next
        // commit syncs it before its own.
        (_hasSkipped, _hasUnsyncedName) = (false, true);
        _kept.Insert(0, record);
        Keep(record);
        files.SyncNames();
        _hasUnsyncedName = false;
        NoteCommitted();
        while (_kept.Count > Generations)
        {
            CommitRecord oldest = _kept[^1];
            _kept.RemoveAt(_kept.Count - 1);
            Retire(oldest);
        }
    }

    /// <summary>
    /// Removes the files of a commit that failed; what can't be removed now is removed with a later commit. If the
    /// commit's record has its final name, it may be durable, and nothing is removed.
    /// </summary>
    /// <exception cref="StorageException">The folder can't be read, or a file can't be deleted.</exception>
    public void Discard(long version)
    {
        string record = StoreFileNames.Commit(version);
        if (Versions().Contains(version)) return;
        _unneeded.Enqueue(record + MetadataFile.TemporarySuffix);
        _unneeded.Enqueue(StoreFileNames.Snapshot(version));
        _unneeded.Enqueue(StoreFileNames.Table(version));
        RemoveUnneeded();
    }

    /// <summary>Removes the records and files of generations that are no longer kept.</summary>
    /// <remarks>
    /// Leaves other files that no commit names: the next commit may name them. A failure harms no commit, and the next
    /// call tries again.
    /// </remarks>
    /// <exception cref="StorageException">A file can't be deleted.</exception>
    public void RemoveUnneeded()
    {
        while (_unneeded.TryPeek(out string? name))
        {
            if (Snapshots.MayDelete(name)) files.Delete(name);
            _unneeded.Dequeue();
        }
    }

    private void NoteCommitted()
    {
        if (!IsUnmarked || _isMarked) return;
        StoreMetadata.NoteCommitted(files);
        _isMarked = true;
    }

    private void Keep(CommitRecord record)
    {
        foreach (CommittedPart part in record.Parts)
            Snapshots.Keep(part.Log?.Snapshots ?? (part is { File: { } file, Marks.Count: 0 } ? [file] : []));
    }

    private void Retire(CommitRecord record)
    {
        _unneeded.Enqueue(StoreFileNames.Commit(record.Version));
        HashSet<string> needed = NeededFiles();
        foreach (FileReference file in NamedFiles(record))
            if (!needed.Contains(file.FileName)) _unneeded.Enqueue(file.FileName);
    }

    // Everything but the kept generations, and but what a skipped record may need. The record before the newest one
    // stays even if it can't be trusted.
    private void RetireAllOthers()
    {
        HashSet<string> needed = NeededFiles();
        long oldest = _kept[^1].Version;
        if (_kept[0].Previous != 0) oldest = Math.Min(oldest, _kept[0].Previous);
        foreach (string name in files.List())
        {
            bool stays = StoreFileNames.IsCommit(name, out long version)
                ? version >= oldest
                : !StoreFileNames.IsTemporary(name)
                    && (_hasSkipped || needed.Contains(name)
                        || !StoreFileNames.IsCapture(name));
            if (!stays) _unneeded.Enqueue(name);
        }
    }

    private HashSet<string> NeededFiles() => [.. _kept.SelectMany(NamedFiles).Select(static file => file.FileName)];

    private static IEnumerable<FileReference> NamedFiles(CommitRecord record) =>
        record.Parts.SelectMany(static part => part.Files);

    private DamagedDataException Lost(CommitRecord record)
    {
        string newest = StoreFileNames.Commit(record.Version), before = StoreFileNames.Commit(record.Previous);
        return new DamagedDataException(
            $"A commit record is missing in '{files.Name}': the newest one that is there is '{newest}', and '{before}' "
            + $"before it is not. The store deletes that only when a commit after '{newest}' is durable, so a newer "
            + $"record was lost, unless '{before}' was deleted by other means. {MetadataKind.Commit.Advice}")
        {
            Path = Path.Combine(files.Name, before), Offset = 0,
        };
    }

    private void CheckLength(FileReference named, string record)
    {
        using StoreFile file = files.Open(named.FileName);
        (long length, long expected) = (file.Length, named.Bytes);
        if (length == expected) return;
        throw new DamagedDataException(
            $"'{file.Path}' has {length} bytes, but '{record}' expects {expected}. {MetadataKind.Commit.Advice}")
        {
            Path = file.Path,
            Offset = Math.Min(length, expected),
        };
    }
}
