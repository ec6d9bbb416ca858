using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// The snapshots that commits name, for those who read them while the store goes on committing: what somebody reads is
/// deleted when he has done with it.
/// </summary>
/// <remarks>
/// Invariants: a file can be taken as long as a commit that is kept names it; one that is taken is deleted by whoever
/// is the last to give it back. After a crash before that, the next opening removes it. Thread-safe: a short lock, but
/// for the deletion of a file.
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity.</param>
internal sealed class SnapshotShelf(StoreFiles files, ulong storeIdentity)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, int> _kept = [];    // by name: how many read it
    private readonly Dictionary<string, int> _leaving = []; // likewise, when no commit that is kept names it any more
    private bool _isClosed;

    /// <summary>Takes the snapshots of a commit up.</summary>
    public void Keep(IReadOnlyList<SnapshotReference> snapshots)
    {
        lock (_lock)
        {
            foreach (SnapshotReference snapshot in snapshots) _kept.TryAdd(snapshot.FileName, 0);
        }
    }

    /// <summary>Whether all of some snapshots can still be taken.</summary>
    public bool Has(IReadOnlyList<SnapshotReference> snapshots)
    {
        lock (_lock) return snapshots.All(snapshot => _kept.ContainsKey(snapshot.FileName));
    }

    /// <summary>Lets go of a file, which nobody can take any more.</summary>
    /// <returns>Whether it may be deleted now; else who reads it deletes it.</returns>
    public bool MayDelete(string name)
    {
        lock (_lock)
        {
            if (!_kept.Remove(name, out int readers) || readers == 0) return true;
            _leaving.Add(name, readers);
            return false;
        }
    }

    /// <summary>Opens the snapshots of a commit, and keeps them in place until they are disposed of.</summary>
    /// <param name="snapshots">A whole one and the increments over it, oldest first.</param>
    /// <param name="from">The commit's FlushedUntil.</param>
    /// <param name="end">The commit's end.</param>
    /// <param name="pageBits">The logarithm of the log's page size.</param>
    /// <returns>Null: one of them is gone.</returns>
    /// <exception cref="DamagedDataException">One is damaged, or they do not make up the commit.</exception>
    /// <exception cref="StorageException">One can't be read.</exception>
    public SnapshotPages? TryOpen(IReadOnlyList<SnapshotReference> snapshots, long from, long end, int pageBits)
    {
        lock (_lock)
        {
            if (!snapshots.All(snapshot => _kept.ContainsKey(snapshot.FileName))) return null;
            foreach (SnapshotReference snapshot in snapshots) _kept[snapshot.FileName]++;
        }

        var hold = new Hold(this, snapshots);
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

    /// <summary>Deletes nothing any more: the folder is somebody else's from now on.</summary>
    public void Close()
    {
        lock (_lock) _isClosed = true;
    }

    private void GiveBack(IReadOnlyList<SnapshotReference> snapshots)
    {
        lock (_lock)
        {
            foreach (SnapshotReference snapshot in snapshots) GiveBackLocked(snapshot.FileName);
        }
    }

    private void GiveBackLocked(string name)
    {
        if (_kept.TryGetValue(name, out int readers))
        {
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

    /// <summary>Keeps snapshots in place until it is disposed of.</summary>
    public sealed class Hold(SnapshotShelf shelf, IReadOnlyList<SnapshotReference> snapshots) : IDisposable
    {
        private int _isGivenBack;

        /// <summary>The snapshots.</summary>
        public IReadOnlyList<SnapshotReference> Snapshots => snapshots;

        /// <summary>Gives them back. Idempotent.</summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isGivenBack, 1) == 0) shelf.GiveBack(snapshots);
        }
    }
}
