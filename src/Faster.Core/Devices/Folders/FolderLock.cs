using System.Diagnostics;
using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Faster.Store.Waiting;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Folders;

/// <summary>
/// The lock that excludes a second writer from a store's folder: an empty file, held open without sharing.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>One process at a time holds the lock of a folder, and one store within it.</item>
/// <item>While it is held, no write of an earlier holder is still to come.</item>
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

    private const int LinuxWouldBlock = 11, MacWouldBlock = 35;     // EWOULDBLOCK
    private const int LinuxReadOnly = 30, WindowsWriteProtected = unchecked((int)0x80070013);
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

        long start = Stopwatch.GetTimestamp();
        for (;;)
        {
            try
            {
                return new FolderLock(folder, calls.OpenLock(Path.Combine(folder, FileName)), calls);
            }
            catch (IOException e) when (IsTaken(e) && Stopwatch.GetElapsedTime(start) < StallTimeout)
            {
                Thread.Sleep(Pause);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new StoreOpenException(Reason(folder, e), e);
            }
        }
    }

    /// <summary>
    /// Checks that the folder's path still leads to the folder that was locked: otherwise writes would not be found
    /// again, or would land in another store. On Windows an open file keeps its folder in place.
    /// </summary>
    /// <exception cref="StorageException">The folder was deleted, moved or replaced; this is final.</exception>
    public void ThrowIfGone()
    {
        if (OperatingSystem.IsWindows() || _calls.IsLinked(Handle, Path.Combine(_folder, FileName))) return;
        throw new StorageException(
            $"The folder '{_folder}' is not the one that the store opened: it was deleted, moved or replaced "
            + "meanwhile, and nothing written now could be recovered. Close the store; put the folder back if "
            + "it was moved, or restore it from a copy, and open the store again.");
    }

    /// <inheritdoc/>
    public void Dispose() => Handle.Dispose();

    private static bool IsTaken(IOException e) => OperatingSystem.IsWindows()
        ? e.HResult is WindowsSharing or WindowsLocked
        : e.HResult == (OperatingSystem.IsLinux() ? LinuxWouldBlock : MacWouldBlock);

    private static string Reason(string folder, Exception e) => e switch
    {
        IOException taken when IsTaken(taken) =>
            $"The store in '{folder}' is open already, in this process or another: its lock '{FileName}' is taken. "
            + "Close it there, or open another folder; if its process has just been killed, the system may still be "
            + "writing for it: try again when its writes have ended.",
        UnauthorizedAccessException =>
            $"The folder '{folder}' is not writable: the system denies this process its lock '{FileName}'. Give the "
            + "process the right to write to the folder and to the files in it, or open another folder.",
        { HResult: LinuxReadOnly or WindowsWriteProtected } =>
            $"The folder '{folder}' is on a read-only file system. Mount it for writing, or copy the store to "
            + "another one.",
        _ => $"The lock '{FileName}' of the folder '{folder}' can't be opened: {e.Message} Check the disk and the "
            + "system's log, and try again.",
    };
}
