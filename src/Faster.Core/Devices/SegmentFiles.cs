using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices;

/// <summary>
/// The files of a segmented device: opened when first needed, synced together, deleted from the front.
/// </summary>
/// <remarks>
/// Invariants: segments below <see cref="FirstSegment"/> are never opened again; after a failed sync none succeeds; a
/// sync covers the entries of the folder whenever a file was opened for writing since the last one, because an earlier
/// process may have created the file and died before it synced the folder. Thread-safe; open, truncate and close
/// exclude each other, syncs exclude syncs (a second may not return while the first still runs).
/// <para>At most so many files are open at a time, but for those with transfers under way: the one that was not used
/// for the longest time is closed for another, one without unsynced bytes first. One with such bytes is synced before,
/// for an error that the system keeps for it might be lost with its last descriptor.</para>
/// </remarks>
internal sealed class SegmentFiles : IDisposable
{
    /// <summary>The most files that are open at a time unless said otherwise.</summary>
    public const int DefaultMostOpen = 256;

    private const string Prefix = "log.";
    private const int Digits = 12;

    private readonly string _folder;
    private readonly FileCalls _calls;
    private readonly ConcurrentDictionary<long, Segment> _open = new();
    private readonly HashSet<string> _foldersToSync = [];
    private readonly Lock _opening = new();
    private readonly Lock _syncing = new();
    private StorageException? _syncFailure;
    private readonly FolderLock? _lock;
    private readonly int _mostOpen;
    private long _uses;
    private bool _hasFolder;
    private long _firstSegment;
    private volatile bool _unbuffered;
    private bool _closed;

    /// <summary>Touches nothing yet.</summary>
    /// <param name="folder">The folder; made by the first write where it does not exist, never again later.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    /// <param name="calls">The system.</param>
    /// <param name="folderLock">The lock on a store's folder, which is there; null for a device of its own.</param>
    /// <param name="mostOpen">The most files that are open at a time.</param>
    public SegmentFiles(
        string folder, bool unbuffered, FileCalls calls, FolderLock? folderLock = null,
        int mostOpen = DefaultMostOpen)
    {
        _mostOpen = mostOpen;
        _lock = folderLock;
        _hasFolder = folderLock is not null;
        _folder = Path.GetFullPath(folder);
        _unbuffered = unbuffered && !OperatingSystem.IsMacOS();
        _calls = calls;
    }

    /// <summary>Whether no file or transfer has refused to bypass the system's cache yet.</summary>
    public bool IsUnbuffered => _unbuffered;

    /// <summary>Everything before this segment was given up.</summary>
    public long FirstSegment => Volatile.Read(ref _firstSegment);

    /// <summary>The path of a segment's file.</summary>
    public string PathOf(long number) =>
        Path.Combine(_folder, Prefix + number.ToString("D" + Digits, CultureInfo.InvariantCulture));

    /// <summary>How many files are open.</summary>
    public int OpenCount => _open.Count;

    /// <summary>The segment, opened if need be, and held; created only for a write.</summary>
    /// <returns>Null when it was given up.</returns>
    /// <exception cref="FileNotFoundException">A read of a file that does not exist (or its folder).</exception>
    public Segment? Hold(long number, bool forWrite)
    {
        if (!_open.TryGetValue(number, out Segment? segment) || !segment.TryHold())
        {
            lock (_opening)
            {
                ObjectDisposedException.ThrowIf(_closed, this);
                if (number < _firstSegment) return null;
                if (!_open.TryGetValue(number, out segment)) segment = Open(number, forWrite);
                _ = segment.TryHold(); // nobody closes what is open but under this lock
            }
        }

        segment.LastUse = ++_uses; // races cost the order little
        return segment;
    }

    /// <summary>
    /// Goes on through the system's cache, after a transfer that the file refused to make without it: one that was
    /// begun while the segment was unbuffered, though another such may have fallen back since.
    /// </summary>
    /// <returns>Whether it is worth to try the transfer again.</returns>
    public bool FallBack(Segment segment)
    {
        if (!OperatingSystem.IsLinux()) return false;
        _unbuffered = false;
        segment.IsUnbuffered = false;
        return _calls.SetUnbuffered(segment.Handle, false) == 0;
    }

    /// <summary>Makes all bytes marked as written, and the entries of the folder, durable.</summary>
    /// <exception cref="StorageException">This or an earlier sync failed.</exception>
    public void Sync()
    {
        lock (_syncing)
        {
            if (_syncFailure is not null)
                throw DeviceErrors.SyncFailed(_folder, "an earlier sync failed, and no later one can make up for it.",
                    _syncFailure);
            try
            {
                SyncOnce();
            }
            catch (Exception e)
            {
                _syncFailure = e as StorageException ?? DeviceErrors.SyncFailed(_folder, e.Message, e);
                throw _syncFailure;
            }
        }
    }

    /// <summary>Gives up and deletes the segments before one, also those that were never opened.</summary>
    /// <exception cref="StorageException">A file could not be deleted; a later call tries again.</exception>
    public void TruncateBelow(long number)
    {
        lock (_opening)
        {
            _lock?.ThrowIfGone();
            if (number > _firstSegment) Volatile.Write(ref _firstSegment, number);
            foreach (long old in _open.Keys.Where(n => n < _firstSegment))
            {
                if (_open.TryRemove(old, out Segment? segment)) segment.Dispose();
            }

            if (!Directory.Exists(_folder)) return;
            foreach (string path in Directory.EnumerateFiles(_folder, Prefix + "*"))
            {
                if (NumberOf(path) < _firstSegment) Delete(path);
            }
        }
    }

    /// <summary>Closes every file.</summary>
    public void Dispose()
    {
        lock (_opening)
        {
            _closed = true;
            foreach (Segment segment in _open.Values) segment.Dispose();
            _open.Clear();
        }
    }

    private Segment Open(long number, bool forWrite)
    {
        while (_open.Count >= _mostOpen && TryCloseOne()) { }
        _lock?.ThrowIfGone();
        if (forWrite) CreateFolder();
        string path = PathOf(number);
        bool unbuffered = _unbuffered;
        SafeFileHandle handle = _calls.Open(path, forWrite, ref unbuffered);
        if (!unbuffered) _unbuffered = false;
        _hasFolder = true;
        // Noted for segments opened by a read, too: they may be written later, and a sync of the folder costs little.
        lock (_foldersToSync) _foldersToSync.Add(_folder);
        var segment = new Segment(number, path, handle, unbuffered);
        _open[number] = segment;
        return segment;
    }

    private bool TryCloseOne()
    {
        Segment[] byUse = [.. _open.Values.OrderBy(static segment => segment.LastUse)];
        foreach (Segment segment in byUse.Where(static segment => !segment.IsWritten))
        {
            if (!segment.TryRetire()) continue;
            if (!segment.IsWritten) return Close(segment);
            segment.Revive(); // it was written meanwhile
        }

        lock (_syncing) // so that no sync returns while what it was to cover is synced here
        {
            foreach (Segment segment in byUse)
            {
                if (!segment.TryRetire()) continue;
                int error = segment.TakeWritten() ? _calls.Sync(segment.Handle) : 0;
                if (error != 0) _syncFailure ??= Failed(error, segment.Path); // whoever syncs next is told
                return Close(segment);
            }
        }

        return false; // all have transfers under way
    }

    private bool Close(Segment segment)
    {
        _ = _open.TryRemove(segment.Number, out _);
        segment.Dispose();
        return true;
    }

    private void CreateFolder()
    {
        if (_hasFolder) return; // should it be gone now, its segments are, too: a new one would hide that
        _hasFolder = true;
        if (Directory.Exists(_folder)) return;
        List<string> parents = [];
        string? parent = Path.GetDirectoryName(_folder);
        for (; parent is not null; parent = Path.GetDirectoryName(parent))
        {
            parents.Add(parent);
            if (Directory.Exists(parent)) break;
        }

        Directory.CreateDirectory(_folder);
        lock (_foldersToSync) _foldersToSync.UnionWith(parents);
    }

    private void SyncOnce()
    {
        foreach (Segment segment in _open.Values.OrderBy(s => s.Number))
        {
            if (!HoldIfOpen(segment)) continue; // given up meanwhile, or closed without anything to sync
            try
            {
                if (segment.TakeWritten()) ThrowIfFailed(_calls.Sync(segment.Handle), segment.Path);
            }
            finally
            {
                segment.LetGo();
            }
        }

        string[] folders;
        lock (_foldersToSync)
        {
            folders = [.. _foldersToSync];
            _foldersToSync.Clear();
        }

        foreach (string folder in folders) ThrowIfFailed(_calls.SyncFolder(folder), folder);
    }

    private bool HoldIfOpen(Segment segment)
    {
        var wait = new SpinWait();
        while (!segment.TryHold())
        {
            if (!_open.TryGetValue(segment.Number, out Segment? open) || open != segment) return false;
            wait.SpinOnce(); // whoever would close it finds that it is written
        }

        return true;
    }

    private static void ThrowIfFailed(int error, string place)
    {
        if (error != 0) throw Failed(error, place);
    }

    private static StorageException Failed(int error, string place) =>
        DeviceErrors.SyncFailed(place, $"{Marshal.GetPInvokeErrorMessage(error)} (error {error}).");

    private static void Delete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StorageException(
                $"'{path}' is no longer needed but could not be deleted: {e.Message} Mend its permissions or close "
                + "whoever holds it; the next truncation tries again.", e)
            {
                MayRetry = true,
            };
        }
    }

    // Foreign files get a number that is never below the first segment.
    private static long NumberOf(string path)
    {
        ReadOnlySpan<char> digits = Path.GetFileName(path.AsSpan())[Prefix.Length..];
        return digits.Length >= Digits
            && long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
                ? number
                : long.MaxValue;
    }
}
