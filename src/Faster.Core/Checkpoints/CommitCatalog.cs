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
/// <item>A commit record is written to the file of records only when all files that it names are durable.</item>
/// <item>A record is the newest commit from the moment at which <see cref="Publish"/> returns, and the store's metadata
/// say then that it has committed.</item>
/// <item>The newest two generations and all files that they name are never removed, nor are those of a record that a
/// crash may lead to.</item>
/// <item>Reading removes nothing.</item>
/// <item>Each published version is higher than those that are kept.</item>
/// </list>
/// <para>Not thread-safe: recovery uses it first, then one coordinator.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity.</param>
internal sealed class CommitCatalog(StoreFiles files, ulong storeIdentity) : IDisposable
{
    private const int Generations = 2;

    private readonly CommitSlots _slots = new(files, storeIdentity);
    private readonly List<CommitRecord> _kept = []; // newest first
    private readonly Queue<string> _unneeded = new();
    private CommitRecord? _begun; // a crash may lead to it, though its commit has failed
    private bool _renews = true;  // the next commit makes a new file: there is none, or it has what must go
    private bool _hasSkipped;
    private bool _hasUnsyncedName; // of the file of records
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
    /// The versions whose records are whole, newest first; of a store at rest the kept ones, and one before them.
    /// </summary>
    public long[] Versions() => [.. Read([]).Select(static found => found.Record.Version)];

    /// <summary>Finds the newest record that can be trusted; null when there is no file of records.</summary>
    /// <param name="fallBack">Whether to return an older record when the newest can't be trusted.</param>
    /// <param name="skipped">Gets the reason for each record that can't be trusted.</param>
    /// <param name="below">
    /// Only records of versions below this one, for a caller that has found damage inside a file of this version.
    /// </param>
    /// <exception cref="DamagedDataException">
    /// A slot has no record and is damaged, so it may have had the newest one; or a file that the newest one names is
    /// missing or can't be trusted. With <paramref name="fallBack"/>: no record can be trusted.
    /// </exception>
    /// <exception cref="StorageException">The folder can't be read.</exception>
    public CommitRecord? ReadNewest(
        bool fallBack, ICollection<DamagedDataException> skipped, long below = long.MaxValue)
    {
        List<DamagedDataException> damages = [];
        CommitRecord[] all = [.. Read(damages).Select(static found => found.Record)];
        if (below == long.MaxValue)
        {
            if (damages.Count != 0 && !fallBack) throw damages[0];
            foreach (DamagedDataException damage in damages) skipped.Add(damage);
        }

        foreach (CommitRecord record in all.Where(record => record.Version < below && MayBeKept(record, all[0])))
        {
            try
            {
                foreach (FileReference file in NamedFiles(record)) CheckLength(file, record.Version);
                return record;
            }
            catch (DamagedDataException e) when (fallBack)
            {
                skipped.Add(e);
            }
        }

        return skipped.FirstOrDefault() is { } first ? throw first : null;
    }

    /// <summary>The commit before another one; null if there is none that can be recovered.</summary>
    /// <exception cref="StorageException">The folder can't be read.</exception>
    public CommitRecord? ReadBefore(CommitRecord commit) => Read([]).Select(static found => found.Record)
        .FirstOrDefault(record => record.Version == commit.Previous && HasFiles(record));

    /// <summary>
    /// Continues from a record that has been recovered: makes it durable, and removes what was never published or is no
    /// longer needed.
    /// </summary>
    /// <exception cref="StorageException">The folder can't be read or written.</exception>
    public void Adopt(CommitRecord record)
    {
        List<DamagedDataException> damages = [];
        List<Found> all = Read(damages);
        List<Found> kept = [.. all.Where(found => MayBeKept(found.Record, record) && HasFiles(found.Record))];
        _kept.AddRange(kept.Select(static found => found.Record));
        foreach (CommitRecord one in _kept) Keep(one);
        _hasSkipped = damages.Count != 0 || all[0].Record.Version != record.Version;
        _renews = _hasSkipped;

        // The process that published the record may have died before it synced that, or the file's name. Until both are
        // durable, a power cut may lead to the commit before, with the files that it had then.
        _slots.Settle(kept.Select(static found => found.Slot));
        _slots.GoOnAfter(kept[0].Slot.Number);
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
    /// already. Removes later records, which recovery has skipped.
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
        byte[] bytes = CommitRecordFile.Encode(record, storeIdentity);
        HashSet<string> known = NeededFiles();
        bool hasNewNames = _hasUnsyncedName || NamedFiles(record).Any(file => !known.Contains(file.FileName));
        if (_renews || !_slots.Fits(bytes.Length)) Renew(record, bytes, hasNewNames);
        else WriteSlot(record, bytes, hasNewNames);
        NoteCommitted();
        while (_kept.Count > Generations)
        {
            CommitRecord oldest = _kept[^1];
            _kept.RemoveAt(_kept.Count - 1);
            Retire(oldest);
        }
    }

    /// <summary>
    /// Removes the files of a commit that failed; what can't be removed now is removed with a later commit. If a crash
    /// may lead to the commit, nothing is removed.
    /// </summary>
    /// <exception cref="StorageException">The folder can't be read, or a file can't be deleted.</exception>
    public void Discard(long version)
    {
        if (_begun?.Version == version || _kept.Any(record => record.Version == version)) return;
        _unneeded.Enqueue(StoreFileNames.Commits + MetadataFile.TemporarySuffix);
        _unneeded.Enqueue(StoreFileNames.Snapshot(version));
        _unneeded.Enqueue(StoreFileNames.Table(version));
        RemoveUnneeded();
    }

    /// <summary>Removes the files of generations that are no longer kept.</summary>
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

    /// <summary>Closes the file of records.</summary>
    public void Dispose() => _slots.Dispose();

    // The common case: no name changes, and the file keeps its length.
    private void WriteSlot(CommitRecord record, byte[] bytes, bool hasNewNames)
    {
        if (hasNewNames) SyncNames();
        CommitRecord? failed = _begun;
        _begun = record;
        _slots.Write(bytes, record.Version);
        files.ThrowIfLost(); // the folder's path may lead to another file by now
        _begun = null;
        if (failed is not null) Retire(failed);
        _kept.Insert(0, record);
        Keep(record);
    }

    private void Renew(CommitRecord record, byte[] bytes, bool hasNewNames)
    {
        (byte[], long)[] records =
        [
            .. _kept.Take(Generations - 1)
                .Select(kept => (CommitRecordFile.Encode(kept, storeIdentity), kept.Version)),
            (bytes, record.Version),
        ];
        _slots.Prepare(records);
        if (hasNewNames) SyncNames();
        _slots.Replace(records.Length);

        // From here on a crash may lead to this commit: it is kept even if the name can't be synced now, and the next
        // commit syncs it first.
        (_hasSkipped, _renews, _hasUnsyncedName) = (false, false, true);
        if (_begun is { } failed) Retire(failed);
        _begun = null;
        _kept.Insert(0, record);
        Keep(record);
        SyncNames();
    }

    private void SyncNames()
    {
        files.SyncNames();
        _hasUnsyncedName = false;
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
        HashSet<string> needed = NeededFiles();
        foreach (FileReference file in NamedFiles(record))
            if (!needed.Contains(file.FileName)) _unneeded.Enqueue(file.FileName);
    }

    // Everything but the kept generations, and but what a skipped record may need.
    private void RetireAllOthers()
    {
        HashSet<string> needed = NeededFiles();
        foreach (string name in files.List())
        {
            bool stays = !StoreFileNames.IsTemporary(name)
                && (_hasSkipped || needed.Contains(name) || !StoreFileNames.IsCapture(name));
            if (!stays) _unneeded.Enqueue(name);
        }
    }

    private HashSet<string> NeededFiles()
    {
        IEnumerable<CommitRecord> all = _begun is { } begun ? _kept.Append(begun) : _kept;
        return [.. all.SelectMany(NamedFiles).Select(static file => file.FileName)];
    }

    private static IEnumerable<FileReference> NamedFiles(CommitRecord record) =>
        record.Parts.SelectMany(static part => part.Files);

    // Whether a record is the newest one or the one before it. What an older one needs may be gone.
    private static bool MayBeKept(CommitRecord record, CommitRecord newest) =>
        record.Version == newest.Version || record.Version == newest.Previous;

    // The records that are whole, newest first, and what is wrong with the other slots.
    private List<Found> Read(List<DamagedDataException> damages)
    {
        if (!files.List().Contains(StoreFileNames.Commits)) return [];
        using StoreFile file = files.Open(StoreFileNames.Commits);
        var all = new List<Found>();
        try
        {
            foreach (CommitSlot slot in new CommitSlotReader(file, storeIdentity).Read())
            {
                if (slot.Damage is { } damage) damages.Add(damage);
                if (slot.Record is not { } bytes) continue;
                try
                {
                    all.Add(new Found(slot, CommitRecordFile.Decode(file.Path, bytes, storeIdentity)));
                }
                catch (DamagedDataException e)
                {
                    damages.Add(e);
                }
            }
        }
        catch (DamagedDataException e)
        {
            damages.Add(e);
        }

        if (all.Count == 0 && damages.Count == 0)
            damages.Add(MetadataKind.Commit.Damaged(file.Path, 0, "it has no whole record"));
        all.Sort(static (a, b) => b.Record.Version.CompareTo(a.Record.Version));
        return all;
    }

    private bool HasFiles(CommitRecord record)
    {
        try
        {
            foreach (FileReference file in NamedFiles(record)) CheckLength(file, record.Version);
            return true;
        }
        catch (DamagedDataException)
        {
            return false;
        }
    }

    private void CheckLength(FileReference named, long version)
    {
        using StoreFile file = files.Open(named.FileName);
        (long length, long expected) = (file.Length, named.Bytes);
        if (length == expected) return;
        throw new DamagedDataException(
            $"'{file.Path}' has {length} bytes, but commit {version} expects {expected}. "
            + MetadataKind.Commit.Advice)
        {
            Path = file.Path,
            Offset = Math.Min(length, expected),
        };
    }

    private readonly record struct Found(CommitSlot Slot, CommitRecord Record);
}
