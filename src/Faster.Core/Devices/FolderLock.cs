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

    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(500), Pause = TimeSpan.FromMilliseconds(10);

    private readonly FileStream _file;

    private FolderLock(FileStream file) => _file = file;

    /// <summary>The file, open.</summary>
    public SafeFileHandle Handle => _file.SafeFileHandle;

    /// <summary>Makes a folder, if it does not exist, and takes its lock.</summary>
    /// <param name="folder">The folder, as a full path.</param>
    /// <exception cref="StoreOpenException">It is a file, not writable, or open elsewhere.</exception>
    public static FolderLock Take(string folder)
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
                return new FolderLock(new FileStream(
                    Path.Combine(folder, FileName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None));
            }
            catch (UnauthorizedAccessException e)
            {
                throw new StoreOpenException($"The folder '{folder}' is not writable: {e.Message}", e);
            }
            catch (IOException) when (Stopwatch.GetElapsedTime(start) < Patience)
            {
                Thread.Sleep(Pause);
            }
            catch (IOException e)
            {
                throw new StoreOpenException(
                    $"The store in '{folder}' is open already, in this process or another: its lock '{FileName}' is "
                    + "taken. Close it there, or open another folder; if its process was killed just now, the system "
                    + $"has writes of it under way: try again when the disk is quiet. ({e.Message})", e);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();
}
