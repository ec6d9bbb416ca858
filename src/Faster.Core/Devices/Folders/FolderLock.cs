using System.Diagnostics;
using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Folders;

/// <summary>
/// The lock that excludes a second writer from a store's folder: an empty file that is locked as long as it is open.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>One process at a time holds the lock of a folder, and one store within it.</item>
/// <item>While it is held, no write of an earlier holder is still to come.</item>
/// <item>A lock that was taken has refused a second opening of its file: no folder is used without one.</item>
/// </list>
/// <para>The system releases the lock when the process ends, for any reason, <b>and when no write of the process is in
/// flight any more</b>: a late one would overwrite what the next holder has written. Blocking writes end before their
/// process does. Those of a ring do not; but the ring that writes also holds this file (<see cref="IORing.TryHold"/>),
/// and the kernel releases it when the ring has finished. A child that this process is just starting has a copy of the
/// lock until it runs its program. So a process that takes the lock retries for a moment.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class FolderLock : IDisposable
{
    /// <summary>The name of the lock file within the store's folder.</summary>
    public const string FileName = "store.lock";

    private const int WindowsSharing = unchecked((int)0x80070020), WindowsLocked = unchecked((int)0x80070021);
    private static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(2),
        Pause = TimeSpan.FromMilliseconds(10);

    private readonly string _folder;
    private readonly FileCalls _calls;

    private FolderLock(string folder, SafeFileHandle handle, FileCalls calls) =>
        (_folder, Handle, _calls) = (folder, handle, calls);

    /// <summary>The open lock file.</summary>
    public SafeFileHandle Handle { get; }

    /// <summary>Creates a folder, if it does not exist, and takes its lock.</summary>
    /// <param name="folder">The folder, as a full path.</param>
    /// <param name="calls">The system calls.</param>
    /// <exception cref="StoreOpenException">The path is a file, not writable, or open elsewhere.</exception>
    public static FolderLock Take(string folder, FileCalls calls)
    {
        if (File.Exists(folder))
            throw new StoreOpenException(
                $"'{folder}' is a file. Name a folder for the store, or one that does not exist yet.");
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StoreOpenException($"The folder '{folder}' can't be created: {e.Message}", e);
        }

        string path = Path.Combine(folder, FileName);
        var taken = new FolderLock(folder, OpenLocked(folder, path, calls), calls);
        try
        {
            taken.Verify(path);
            return taken;
        }
        catch
        {
            taken.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Checks that the folder is still the store's: its path leads to the folder that was locked, and no other process
    /// has the lock. Otherwise writes would not be found again, or would land in another store. On Windows an open file
    /// keeps its folder in place, and its lock. Two or three system calls on no disk.
    /// </summary>
    /// <exception cref="StorageException">
    /// The folder was deleted, moved or replaced, or is locked by another process; this is final.
    /// </exception>
    public void ThrowIfLost()
    {
        if (OperatingSystem.IsWindows()) return;
        if (!_calls.IsLinked(Handle, Path.Combine(_folder, FileName)))
        {
            throw new StorageException(
                $"The folder '{_folder}' is not the one that the store opened: it was deleted, moved or replaced "
                + "meanwhile, and nothing written now could be recovered. Close the store; put the folder back if "
                + "it was moved, or restore it from a copy, and open the store again.");
        }

        // The system keeps the lock of an open file; a server of files may drop it while the network is down.
        if (_calls.Lock(Handle) != DeviceErrors.WouldBlock) return;
        throw new StorageException(
            $"The folder '{_folder}' is locked by another process: its file system has dropped the lock "
            + $"'{FileName}' of this store meanwhile. Close the store at once, and open it again when the other "
            + "process has closed it.");
    }

    /// <inheritdoc/>
    public void Dispose() => Handle.Dispose();

    private static SafeFileHandle OpenLocked(string folder, string path, FileCalls calls)
    {
        for (long start = Stopwatch.GetTimestamp();;)
        {
            try
            {
                return TryLock(path, calls, out int error)
                    ?? throw new StoreOpenException(NoLock(folder, DeviceErrors.FromNumber(error).Message));
            }
            catch (IOException e) when (IsTaken(e) && Stopwatch.GetElapsedTime(start) < StallTimeout)
            {
                Thread.Sleep(Pause);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new StoreOpenException(Reason(folder, e), e) { MayRetry = e is IOException io && IsTaken(io) };
            }
        }
    }

    // Opens the file and locks it. An exception says that the file is locked already, or can't be opened; null, that
    // there are no locks.
    private static SafeFileHandle? TryLock(string path, FileCalls calls, out int error)
    {
        SafeFileHandle handle = calls.OpenLock(path);
        error = calls.Lock(handle);
        if (error == 0) return handle;
        handle.Dispose();
        return error == DeviceErrors.WouldBlock ? throw DeviceErrors.FromNumber(error) : null;
    }

    // A lock counts only if it excludes: some file systems and sandboxes report success and lock nothing.
    private void Verify(string path)
    {
        try
        {
            using SafeFileHandle? second = TryLock(path, _calls, out _);
        }
        catch (IOException e) when (IsTaken(e))
        {
            if (OperatingSystem.IsWindows() || _calls.IsLinked(Handle, path)) return;
            throw new StoreOpenException(
                $"The folder '{_folder}' was deleted, moved or replaced while it was opened. Open it again.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StoreOpenException(Reason(_folder, e), e);
        }

        throw new StoreOpenException(NoLock(_folder, "a second opening of the locked file was not refused"));
    }

    private static bool IsTaken(IOException e) => OperatingSystem.IsWindows()
        ? e.HResult is WindowsSharing or WindowsLocked
        : e.HResult == DeviceErrors.WouldBlock;

    private static string NoLock(string folder, string why) =>
        $"The folder '{folder}' can't be locked: {why}. Without its lock '{FileName}' a second process could open the "
        + "store, and both would destroy it. Use a file system that has locks (mount NFS with them, or with "
        + "local_lock=flock if this machine alone uses it), or let the sandbox allow the system call flock; or copy "
        + "the store to a local disk.";

    private static string Reason(string folder, Exception e) => SystemErrors.Of(e) switch
    {
        _ when e is IOException taken && IsTaken(taken) =>
            $"The store in '{folder}' is open already, in this process or another: its lock '{FileName}' is taken. "
            + "Close it there, or open another folder; if its process has just been killed, the system may still be "
            + "writing for it: try again when its writes have ended.",
        SystemFault.Rights =>
            $"The folder '{folder}' is not writable: the system denies this process its lock '{FileName}'. Give the "
            + "process the right to write to the folder and to the files in it, or open another folder.",
        SystemFault.ReadOnly =>
            $"The folder '{folder}' is on a read-only file system. Mount it for writing, or copy the store to "
            + "another one.",
        _ => $"The lock '{FileName}' of the folder '{folder}' can't be opened: {e.Message} Check the disk and the "
            + "system's log, and try again.",
    };
}
