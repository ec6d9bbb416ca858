using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// The commits in a store's folder: finds the newest that can be trusted, publishes new ones, and removes what nobody
/// needs any more (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// <para>Invariants: a commit's record has its final name only when its content, and all files that it names, are
/// durable; it is the newest commit from the moment at which <see cref="Publish"/> returns; the newest two generations
/// and all that they name are never removed; reading removes nothing.</para>
/// <para>Not thread-safe: recovery uses it, then one coordinator.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity.</param>
internal sealed class CommitCatalog(StoreFiles files, ulong storeIdentity)
{
    private const int Generations = 2;

    private readonly List<CommitRecord> _kept = []; // newest first
    private readonly Queue<string> _unneeded = new();
    private bool _hasSkipped;

    /// <summary>The generations that are kept, newest first; empty before <see cref="Adopt"/>.</summary>
    public IReadOnlyList<CommitRecord> Kept => _kept;

    /// <summary>The lowest begin of a log in the generations that are kept; 0 when there are none.</summary>
    /// <param name="log">The log's name.</param>
    public long LeastBeginOf(string log) => _kept.SelectMany(static record => record.Logs)
        .Where(one => one.Name == log).Select(static one => one.BeginAddress).DefaultIfEmpty().Min();

    /// <summary>The snapshots that the kept generations name.</summary>
    public SnapshotShelf Snapshots { get; } = new(files, storeIdentity);

    /// <summary>The versions whose records lie in the folder, trusted or not, newest first.</summary>
    public long[] Versions() => [.. files.List()
        .Select(static name => StoreFileNames.IsCommit(name, out long version) ? version : -1)
        .Where(static version => version >= 0).OrderDescending()];

    /// <summary>The newest record that can be trusted; null when there is none at all.</summary>
    /// <param name="fallBack">Whether an older one may be taken when the newest can't be trusted.</param>
    /// <param name="skipped">Gets the reason for each one that could not be.</param>
    /// <param name="below">
    /// Only older versions than this: for a caller that has found damage inside a file of that version's.
    /// </param>
    /// <exception cref="DamagedDataException">
    /// The newest record, or a file that it names, can't be trusted; with <paramref name="fallBack"/>: none can.
    /// </exception>
    /// <exception cref="StorageException">The folder can't be read.</exception>
    public CommitRecord? ReadNewest(
        bool fallBack, ICollection<DamagedDataException> skipped, long below = long.MaxValue)
    {
        DamagedDataException? newest = skipped.FirstOrDefault();
        foreach (long version in Versions().Where(version => version < below))
        {
            try
            {
                return Read(version);
            }
            catch (DamagedDataException e) when (fallBack)
            {
                skipped.Add(e);
                newest ??= e;
            }
        }

        return newest is null ? null : throw newest;
    }

    /// <summary>Reads a record, and checks that the files that it names are there and have their lengths.</summary>
    /// <exception cref="DamagedDataException">It can't be trusted.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
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

        foreach ((string file, long length) in NamedFiles(record)) CheckLength(file, length, name);
        return record;
    }

    /// <summary>
    /// Goes on from a record that has been recovered: makes sure that it stays, and removes what was never published
    /// or is no longer needed.
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
            // No older one can be trusted: there is one generation.
        }

        foreach (CommitRecord kept in _kept) Keep(kept);
        _hasSkipped = Versions().Any(version => version > record.Version);
        RetireAllOthers();
        RemoveUnneeded();

        // The process that has published it may have died before it synced the name.
        files.SyncNames();
    }

    /// <summary>Begins anew in a folder that has no commit: removes whatever the store's files are.</summary>
    /// <exception cref="StorageException">The folder can't be read or written.</exception>
    public static void BeginEmpty(StoreFiles files)
    {
        foreach (string name in files.List())
        {
            bool ours = StoreFileNames.IsSegment(name) || StoreFileNames.IsIndex(name)
                || StoreFileNames.IsSnapshot(name) || StoreFileNames.IsTemporary(name)
                || name == StoreFileNames.Expiries;
            if (ours) files.Delete(name);
        }

        files.SyncNames();
    }

    /// <summary>
    /// Makes a record durable: from then on it is the newest commit. The content of the files that it names is durable
    /// already. Later records, which recovery has skipped, go.
    /// </summary>
    /// <exception cref="StorageException">
    /// It is not known to be durable; after a failed sync it may turn out to be, or not.
    /// </exception>
    public void Publish(CommitRecord record)
    {
        string name = StoreFileNames.Commit(record.Version);
        MetadataFile.Prepare(files, name, CommitRecordFile.Encode(record, storeIdentity));
        HashSet<string> known = NeededFiles();
        if (NamedFiles(record).Any(file => !known.Contains(file.Name))) files.SyncNames();
        if (_hasSkipped)
        {
            foreach (long later in Versions().Where(version => version > record.Version))
                files.Delete(StoreFileNames.Commit(later));
        }

        MetadataFile.Publish(files, name);
        _hasSkipped = false;
        _kept.Insert(0, record);
        Keep(record);
        while (_kept.Count > Generations)
        {
            CommitRecord oldest = _kept[^1];
            _kept.RemoveAt(_kept.Count - 1);
            Retire(oldest);
        }
    }

    /// <summary>
    /// Removes what a commit has written that failed; what can't be removed now is with a later commit. Nothing is
    /// removed of one whose record has its name, which may be durable.
    /// </summary>
    /// <exception cref="StorageException">The folder can't be read, or a file not deleted.</exception>
    public void Discard(long version)
    {
        string record = StoreFileNames.Commit(version);
        if (Versions().Contains(version)) return;
        _unneeded.Enqueue(record + MetadataFile.TemporarySuffix);
        _unneeded.Enqueue(StoreFileNames.Snapshot(version));
        RemoveUnneeded();
    }

    /// <summary>Removes the records and files of generations that are no longer kept.</summary>
    /// <remarks>
    /// Other files that no commit names are let alone: the next commit may name them. A failure harms no commit, and
    /// the next call tries again.
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

    private void Keep(CommitRecord record)
    {
        foreach (CommittedLog log in record.Logs) Snapshots.Keep(log.Snapshots);
    }

    private void Retire(CommitRecord record)
    {
        _unneeded.Enqueue(StoreFileNames.Commit(record.Version));
        HashSet<string> needed = NeededFiles();
        foreach ((string name, _) in NamedFiles(record))
            if (!needed.Contains(name)) _unneeded.Enqueue(name);
    }

    // Everything but the kept generations, and what may be needed by a record that was skipped.
    private void RetireAllOthers()
    {
        HashSet<string> needed = NeededFiles();
        foreach (string name in files.List())
        {
            bool stays = StoreFileNames.IsCommit(name, out long version)
                ? version >= _kept[^1].Version
                : !StoreFileNames.IsTemporary(name)
                    && (_hasSkipped || needed.Contains(name)
                        || !(StoreFileNames.IsIndex(name) || StoreFileNames.IsSnapshot(name)));
            if (!stays) _unneeded.Enqueue(name);
        }
    }

    private HashSet<string> NeededFiles() => [.. _kept.SelectMany(NamedFiles).Select(static file => file.Name)];

    private static IEnumerable<(string Name, long Length)> NamedFiles(CommitRecord record)
    {
        foreach (CommittedIndex index in record.Indexes)
            if (index.Checkpoint is { } checkpoint) yield return (checkpoint.FileName, checkpoint.Bytes);
        foreach (SnapshotReference snapshot in record.Logs.SelectMany(static log => log.Snapshots))
            yield return (snapshot.FileName, snapshot.Bytes);
    }

    private void CheckLength(string name, long expected, string record)
    {
        using StoreFile file = files.Open(name);
        long length = file.Length;
        if (length == expected) return;
        throw new DamagedDataException(
            $"'{file.Path}' has {length} bytes, but '{record}' needs {expected} of it. {MetadataKind.Commit.Advice}")
        {
            Path = file.Path,
            Offset = Math.Min(length, expected),
        };
    }
}
