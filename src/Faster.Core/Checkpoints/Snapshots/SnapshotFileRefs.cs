using Faster.Devices.Folders;
using Faster.Invariants;

namespace Faster.Checkpoints.Snapshots;

/// <summary>
/// Counts the readers of the snapshots that commits name, and of other files that a commit has captured whole, while
/// the store goes on committing: a file that is being read is deleted only when its last reader has finished.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A file can be opened as long as a kept commit names it.</item>
/// <item>A file with readers is deleted by the last reader that releases it. After a crash before that, the next
/// opening of the store removes it.</item>
/// </list>
/// <para>Thread-safe: a short lock, except for the deletion of a file, which may run under it.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity.</param>
internal sealed class SnapshotFileRefs(StoreFiles files, ulong storeIdentity)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, int> _kept = [];    // number of readers by name
    private readonly Dictionary<string, int> _leaving = []; // likewise, for files that no kept commit names any more
    private bool _isClosed;

    /// <summary>Adds the snapshots of a commit that is kept.</summary>
    public void Keep(IReadOnlyList<FileReference> snapshots)
    {
        lock (_lock)
        {
            foreach (FileReference snapshot in snapshots) _kept.TryAdd(snapshot.FileName, 0);
        }
    }

    /// <summary>Whether all of the given snapshots can still be opened.</summary>
    public bool Has(IReadOnlyList<FileReference> snapshots)
    {
        lock (_lock) return snapshots.All(snapshot => _kept.ContainsKey(snapshot.FileName));
    }

    /// <summary>Removes a file from those that can be opened.</summary>
    /// <returns>Whether the caller may delete it now; otherwise its last reader deletes it.</returns>
    public bool MayDelete(string name)
    {
        lock (_lock)
        {
            if (!_kept.Remove(name, out int readers) || readers == 0) return true;
            _leaving.Add(name, readers);
            return false;
        }
    }

    /// <summary>
    /// Opens the snapshots of a commit, and keeps their files in place until the result is disposed of.
    /// </summary>
    /// <param name="snapshots">A whole one and the increments over it, oldest first.</param>
    /// <param name="from">The commit's FlushedUntil.</param>
    /// <param name="end">The commit's end address.</param>
    /// <param name="pageBits">The base-2 logarithm of the log's page size.</param>
    /// <returns>The pages, or null if one of the files is gone.</returns>
    /// <exception cref="DamagedDataException">A file is damaged, or the files do not make up the commit.</exception>
    /// <exception cref="StorageException">A file can't be read.</exception>
    public SnapshotPages? TryOpen(IReadOnlyList<FileReference> snapshots, long from, long end, int pageBits)
    {
        if (TryHold(snapshots) is not { } hold) return null;
        try
        {
            return new SnapshotPages(files, storeIdentity, hold, from, end, pageBits);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
    }

    /// <summary>Keeps files in place until the result is disposed of; null if one of them is gone.</summary>
    public Hold? TryHold(IReadOnlyList<FileReference> snapshots)
    {
        lock (_lock)
        {
            if (!snapshots.All(snapshot => _kept.ContainsKey(snapshot.FileName))) return null;
            foreach (FileReference snapshot in snapshots) _kept[snapshot.FileName]++;
        }

        return new Hold(this, snapshots);
    }

    /// <summary>Stops deleting files: from now on the folder belongs to another store instance.</summary>
    public void Close()
    {
        lock (_lock) _isClosed = true;
    }

    private void GiveBack(IReadOnlyList<FileReference> snapshots)
    {
        lock (_lock)
        {
            foreach (FileReference snapshot in snapshots) GiveBackLocked(snapshot.FileName);
        }
    }

    private void GiveBackLocked(string name)
    {
        if (_kept.TryGetValue(name, out int readers))
        {
            Invariant.Check(readers > 0, $"'{name}' is released as often as it was opened; it has {readers} readers");
            _kept[name] = readers - 1;
            return;
        }

        if (--_leaving[name] > 0) return;
        _leaving.Remove(name);
        if (_isClosed) return;
        try
        {
            files.Delete(name);
        }
        catch (FasterException)
        {
            // No commit names the file: the next opening of the store removes it.
        }
    }

    /// <summary>A reference to snapshot files, which keeps them in place until it is disposed of.</summary>
    public sealed class Hold(SnapshotFileRefs snapshotFiles, IReadOnlyList<FileReference> snapshots) : IDisposable
    {
        private int _isGivenBack;

        /// <summary>The referenced snapshots, oldest first.</summary>
        public IReadOnlyList<FileReference> Snapshots => snapshots;

        /// <summary>Releases the files. Idempotent.</summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isGivenBack, 1) == 0) snapshotFiles.GiveBack(snapshots);
        }
    }
}
