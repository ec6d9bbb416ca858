using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.InteropServices;
using Faster.Devices.Folders;
using Faster.Invariants;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Segments;

/// <summary>
/// The files of a segmented device: opened when first needed, synced together, deleted from the front.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Segments below <see cref="FirstSegment"/> are never opened again.</item>
/// <item>After a failed sync no sync succeeds.</item>
/// <item>A sync covers the entries of the folder whenever a file was opened since the last one, because an earlier
/// process may have created the file and died before it synced the folder.</item>
/// <item>At most a given number of files is open at a time, not counting those with transfers in flight: the least
/// recently used one is closed for another, one without unsynced bytes first. One with such bytes is synced before,
/// because an error that the system keeps for it might be lost with its last descriptor.</item>
/// </list>
/// <para>Thread-safe. Opening, truncating and closing exclude each other, and syncs exclude syncs (a second one must
/// not return while the first still runs).</para>
/// </remarks>
internal sealed class SegmentFiles : IDisposable
{
    /// <summary>The default maximum number of open files.</summary>
    public const int DefaultMostOpen = 256;

    /// <summary>The name of the files of a device, unless it gets another one.</summary>
    public const string DefaultName = "log";

    private const int Digits = 12;

    private readonly string _folder;
    private readonly string _prefix;
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

    /// <summary>Prepares the files without touching the disk.</summary>
    /// <param name="folder">
    /// The folder; created by the first write where it does not exist, and never again later.
    /// </param>
    /// <param name="name">What the names of the files begin with, before a point and the number.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    /// <param name="calls">The system calls.</param>
    /// <param name="folderLock">The lock on a store's existing folder; null for a device without a store.</param>
    /// <param name="mostOpen">The maximum number of open files.</param>
    public SegmentFiles(
        string folder, string name, bool unbuffered, FileCalls calls, FolderLock? folderLock = null,
        int mostOpen = DefaultMostOpen)
    {
        (_mostOpen, _prefix) = (mostOpen, name + ".");
        _lock = folderLock;
        _hasFolder = folderLock is not null;
        _folder = Path.GetFullPath(folder);
        _unbuffered = unbuffered && !OperatingSystem.IsMacOS();
        _calls = calls;
    }

    /// <summary>Whether no file or transfer has refused to bypass the system's cache yet.</summary>
    public bool IsUnbuffered => _unbuffered;

    /// <summary>The first segment that has not been truncated.</summary>
    public long FirstSegment => Volatile.Read(ref _firstSegment);

    /// <summary>The path of a segment's file.</summary>
    public string PathOf(long number) =>
        Path.Combine(_folder, _prefix + number.ToString("D" + Digits, CultureInfo.InvariantCulture));

    /// <summary>The number of open files.</summary>
    public int OpenCount => _open.Count;

    /// <summary>Returns a segment, held, and opened if necessary; created only for a write.</summary>
    /// <returns>Null when it was truncated.</returns>
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
                bool isHeld = segment.TryHold();
                Invariant.Check(isHeld, $"open files are closed under the lock only: segment {number}");
            }
        }

        segment.LastUse = ++_uses; // a race hardly changes the order
        return segment;
    }

    /// <summary>
    /// Continues through the system's cache, after the file refused a transfer without it. The transfer was started
    /// while the segment was unbuffered; another one may have fallen back since.
    /// </summary>
    /// <returns>Whether to retry the transfer.</returns>
    public bool FallBackToCache(Segment segment)
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
                throw DeviceErrors.SyncFailed(_folder, "an earlier sync failed, and a later one can't make up for it.",
                    _syncFailure);
            try
            {
                SyncOnce();
            }
            catch (Exception e)
            {
                var failure = e as StorageException ?? DeviceErrors.SyncFailed(_folder, e.Message, e);
                if (!failure.MayRetry) _syncFailure = failure;
                throw failure;
            }
        }
    }

    /// <summary>Truncates the log to a segment: deletes those before it, also those that were never opened.</summary>
    /// <exception cref="StorageException">A file could not be deleted; a later call retries.</exception>
    public void TruncateBelow(long number)
    {
        lock (_opening)
        {
            _lock?.ThrowIfLost();
            if (number > _firstSegment) Volatile.Write(ref _firstSegment, number);
            foreach (long old in _open.Keys.Where(n => n < _firstSegment))
            {
                if (_open.TryRemove(old, out Segment? segment)) segment.Dispose();
            }

            foreach (string path in Paths())
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
        _lock?.ThrowIfLost();
        if (forWrite) CreateFolder();
        string path = PathOf(number);
        bool unbuffered = _unbuffered;
        SafeFileHandle handle = _calls.Open(path, forWrite, ref unbuffered);
        if (!unbuffered) _unbuffered = false;
        _hasFolder = true;
        // Also recorded for segments opened by a read: they may be written later, and a sync of the folder costs
        // little.
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

        lock (_syncing) // so that no sync returns while bytes that it must cover are synced here
        {
            foreach (Segment segment in byUse)
            {
                if (!segment.TryRetire()) continue;
                int error = segment.TakeWritten() ? _calls.Sync(segment.Handle) : 0;
                if (error != 0) _syncFailure ??= Failed(error, segment.Path); // the next sync reports it
                return Close(segment);
            }
        }

        return false; // all have transfers in flight
    }

    private bool Close(Segment segment)
    {
        _ = _open.TryRemove(segment.Number, out _);
        segment.Dispose();
        return true;
    }

    private void CreateFolder()
    {
        if (_hasFolder) return; // if it is gone now, so are its segments: a new one would hide that
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
            if (!HoldIfOpen(segment)) continue; // truncated meanwhile, or closed without anything to sync
            try
            {
                if (segment.TakeWritten()) ThrowIfFailed(_calls.Sync(segment.Handle), segment.Path);
            }
            finally
            {
                segment.Release();
            }
        }

        string[] folders;
        lock (_foldersToSync) folders = [.. _foldersToSync];
        foreach (string folder in folders) SyncFolder(folder);
    }

    private void SyncFolder(string folder)
    {
        lock (_foldersToSync) _foldersToSync.Remove(folder); // what is made from now on needs another sync
        try
        {
            ThrowIfFailed(_calls.SyncFolder(folder), folder);
        }
        catch (IOException e)
        {
            lock (_foldersToSync) _foldersToSync.Add(folder);
            throw DeviceErrors.File($"Opening the folder '{folder}' to sync it", e);
        }
    }

    private bool HoldIfOpen(Segment segment)
    {
        var wait = new SpinWait();
        while (!segment.TryHold())
        {
            if (!_open.TryGetValue(segment.Number, out Segment? open) || open != segment) return false;
            wait.SpinOnce(); // a thread that is closing it finds that it is written
        }

        return true;
    }

    private static void ThrowIfFailed(int error, string place)
    {
        if (error != 0) throw Failed(error, place);
    }

    private static StorageException Failed(int error, string place) =>
        DeviceErrors.SyncFailed(place, $"{Marshal.GetPInvokeErrorMessage(error)} (error {error}).");

    private string[] Paths()
    {
        try
        {
            return Directory.Exists(_folder) ? Directory.GetFiles(_folder, _prefix + "*") : [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Listing '{_folder}'", e);
        }
    }

    private void Delete(string path)
    {
        try
        {
            _calls.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Deleting '{path}', which is no longer needed,", e);
        }
    }

    // Foreign files get a number that is never below the first segment.
    private long NumberOf(string path)
    {
        ReadOnlySpan<char> digits = Path.GetFileName(path.AsSpan())[_prefix.Length..];
        return digits.Length >= Digits
            && long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
                ? number
                : long.MaxValue;
    }
}
