using System.Runtime.InteropServices;
using Faster.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Folders;

/// <summary>A store's folder on a disk, and the lock on it.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>One holder at a time, over all processes.</item>
/// <item>Names are durable only when <see cref="SyncNames"/> has returned, including those of the folder and of its
/// parents: an earlier process may have created them, and died before it synced them.</item>
/// <item>After a failed sync of names no such sync succeeds.</item>
/// <item>Nothing is changed in a folder that has replaced the one that was opened.</item>
/// </list>
/// <para>Thread-safe as <see cref="StoreFiles"/> requires.</para>
/// </remarks>
internal sealed class FolderFiles : StoreFiles
{
    private const int LogSector = 512;
    private const int PermissionDenied = 13;  // EACCES

    private readonly FileCalls _calls;
    private readonly FolderLock _lock;
    private readonly bool _unbuffered;
    private readonly IOMode _io;
    private readonly Lock _syncing = new();
    private readonly Queue<string> _parentsToSync;
    private readonly string _firstToExist;
    private StorageException? _syncFailure;

    private FolderFiles(string path, FolderLock @lock, string firstToExist, bool unbuffered, FileCalls calls, IOMode io)
    {
        Name = path;
        _lock = @lock;
        _parentsToSync = new Queue<string>(ParentsOf(path));
        _firstToExist = firstToExist;
        _unbuffered = unbuffered && !OperatingSystem.IsMacOS();
        _calls = calls;
        _io = io;
    }

    /// <summary>The folder.</summary>
    public override string Name { get; }

    /// <summary>Opens a folder, creates it where it does not exist, and takes its lock.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="unbuffered">Whether large transfers bypass the system's cache where that is possible.</param>
    /// <param name="io">How to read and write the log.</param>
    /// <exception cref="StoreOpenException">The path is a file, not writable, or open elsewhere.</exception>
    public static FolderFiles OpenFolder(string path, bool unbuffered = true, IOMode io = IOMode.Auto) =>
        OpenFolder(path, unbuffered, FileCalls.Real, io);

    /// <summary>As <see cref="OpenFolder(string, bool, IOMode)"/>, with a test's system calls.</summary>
    internal static FolderFiles OpenFolder(
        string path, bool unbuffered, FileCalls calls, IOMode io = IOMode.Auto)
    {
        string full = Path.GetFullPath(path);
        string firstToExist = ParentsOf(full).Prepend(full).FirstOrDefault(Path.Exists, full);
        return new FolderFiles(full, FolderLock.Take(full, calls), firstToExist, unbuffered, calls, io);
    }

    /// <inheritdoc/>
    public override void ThrowIfLost() => _lock.ThrowIfLost();

    /// <inheritdoc/>
    public override IReadOnlyList<string> List()
    {
        try
        {
            return [.. Directory.EnumerateFiles(Name).Select(path => Path.GetFileName(path)!)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Listing '{Name}'", e);
        }
    }

    /// <inheritdoc/>
    public override StoreFile Create(string name)
    {
        _lock.ThrowIfLost();
        string path = PathOf(name);
        try
        {
            bool unbuffered = false;
            SafeFileHandle handle = _calls.Open(path, create: true, ref unbuffered);
            try
            {
                _calls.Empty(handle);
                return new FolderFile(path, handle, _unbuffered, _calls);
            }
            catch
            {
                handle.Dispose();
                throw;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Creating '{path}'", e);
        }
    }

    /// <inheritdoc/>
    public override StoreFile Open(string name)
    {
        string path = PathOf(name);
        try
        {
            bool unbuffered = false;
            return new FolderFile(path, _calls.Open(path, create: false, ref unbuffered), _unbuffered, _calls);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw DeviceErrors.MissingFile(path, e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Opening '{path}'", e);
        }
    }

    /// <inheritdoc/>
    public override void Rename(string from, string to)
    {
        _lock.ThrowIfLost();
        try
        {
            _calls.Rename(PathOf(from), PathOf(to));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Renaming '{PathOf(from)}' to '{to}'", e);
        }
    }

    /// <inheritdoc/>
    public override void Delete(string name)
    {
        _lock.ThrowIfLost();
        try
        {
            _calls.Delete(PathOf(name));
        }
        catch (DirectoryNotFoundException)
        {
            // The folder, and so the file, does not exist.
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.File($"Deleting '{PathOf(name)}'", e);
        }
    }

    /// <inheritdoc/>
    public override void SyncNames()
    {
        lock (_syncing)
        {
            if (_syncFailure is not null)
                throw DeviceErrors.SyncFailed(Name, "an earlier sync of its names failed.", _syncFailure);
            SyncFolder(Name, mayRefuse: false);
            _lock.ThrowIfLost();
            while (_parentsToSync.TryPeek(out string? parent))
            {
                // Above the first folder that existed before, this process may lack the right to read.
                SyncFolder(parent, mayRefuse: parent.Length < _firstToExist.Length);
                _parentsToSync.Dequeue();
            }
        }
    }

    /// <inheritdoc/>
    public override Device OpenLog(string name, long segmentBytes, bool unbuffered) => new SegmentedFileDevice(
        Name, name, segmentBytes, LogSector, SegmentedFileDevice.DefaultWorkers, unbuffered, _calls,
        SegmentedFileDevice.IdleLimit, _io, _lock);

    /// <inheritdoc/>
    public override void Dispose() => _lock.Dispose();

    private void SyncFolder(string folder, bool mayRefuse)
    {
        int error;
        try
        {
            error = _calls.SyncFolder(folder);
        }
        catch (IOException e)
        {
            if (mayRefuse && e.HResult == PermissionDenied) return;
            throw DeviceErrors.File($"Opening the folder '{folder}' to sync it", e);
        }

        if (error == 0 || (mayRefuse && error is (PermissionDenied or DeviceErrors.InvalidArgument))) return;
        throw _syncFailure = DeviceErrors.SyncFailed(
            folder, $"{Marshal.GetPInvokeErrorMessage(error)} (error {error}).");
    }

    private string PathOf(string name) => Path.Combine(Name, name);

    private static IEnumerable<string> ParentsOf(string folder)
    {
        for (string? at = Path.GetDirectoryName(folder); at is not null; at = Path.GetDirectoryName(at))
            yield return at;
    }
}
