using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices;

/// <summary>
/// The lock that keeps a second writer out of a store's folder: an empty file, held open without sharing.
/// </summary>
/// <remarks>
/// <para>The system lets go of it when the process ends, however it ends, <b>and when no write of the process is under
/// way any more</b>: a late one would land on what the next holder has written. Blocking writes end before their
/// process does. Those of a ring do not; but the ring that writes holds this file, too
/// (<see cref="IoRing.TryHold"/>), and the kernel lets go of that when the ring has come to rest. So who takes the lock
/// tries for a moment.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class FolderLock : IDisposable
{
    /// <summary>The file's name.</summary>
    public const string FileName = "store.lock";

    private const int LinuxWouldBlock = 11, MacWouldBlock = 35;     // EWOULDBLOCK
    private const int LinuxReadOnly = 30, WindowsWriteProtected = unchecked((int)0x80070013);
    private const int WindowsSharing = unchecked((int)0x80070020), WindowsLocked = unchecked((int)0x80070021);
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(500), Pause = TimeSpan.FromMilliseconds(10);

    private readonly string _folder;
    private readonly FileCalls _calls;

    private FolderLock(string folder, SafeFileHandle handle, FileCalls calls) =>
        (_folder, Handle, _calls) = (folder, handle, calls);

    /// <summary>The file, open.</summary>
    public SafeFileHandle Handle { get; }

    /// <summary>Makes a folder, if it does not exist, and takes its lock.</summary>
    /// <param name="folder">The folder, as a full path.</param>
    /// <param name="calls">The system.</param>
    /// <exception cref="StoreOpenException">It is a file, not writable, or open elsewhere.</exception>
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
            throw new StoreOpenException($"The folder '{folder}' can't be made: {e.Message}", e);
        }

        long start = Stopwatch.GetTimestamp();
        for (;;)
        {
            try
            {
                return new FolderLock(folder, calls.OpenLock(Path.Combine(folder, FileName)), calls);
            }
            catch (IOException e) when (IsTaken(e) && Stopwatch.GetElapsedTime(start) < Patience)
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
    /// Sees to it that the folder's path still leads to the folder that was locked: else what is written there is not
    /// found again, or lands in another store. On Windows an open file keeps its folder where it is.
    /// </summary>
    /// <exception cref="StorageException">The folder was deleted, moved or replaced; this is final.</exception>
    public void ThrowIfGone()
    {
        if (OperatingSystem.IsWindows() || _calls.IsLinked(Handle, Path.Combine(_folder, FileName))) return;
        throw new StorageException(
            $"The folder '{_folder}' is not the one that the store has opened: it was deleted, moved or replaced "
            + "meanwhile, and nothing that is written now could be recovered. Close the store; put the folder back if "
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
            + "Close it there, or open another folder; if its process was killed just now, the system has writes of it "
            + "under way: try again when the disk is quiet.",
        UnauthorizedAccessException =>
            $"The folder '{folder}' is not writable: the system denies this process its lock '{FileName}'. Give the "
            + "process the right to write to the folder and to the files in it, or open another folder.",
        { HResult: LinuxReadOnly or WindowsWriteProtected } =>
            $"The folder '{folder}' lies on a read-only file system. Mount that for writing, or copy the store to "
            + "another one.",
        _ => $"The lock '{FileName}' of the folder '{folder}' can't be opened: {e.Message} Check the disk and the "
            + "system's log, and try again.",
    };
}
