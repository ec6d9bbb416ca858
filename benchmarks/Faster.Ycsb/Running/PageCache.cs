using Faster.Ycsb.Limits;
using Microsoft.Win32.SafeHandles;

namespace Faster.Ycsb.Running;

/// <summary>
/// The system's cache of files, which would otherwise serve a recovery what its commit has just written.
/// </summary>
internal static class PageCache
{
    /// <summary>
    /// Drops the cached pages of all files in a folder and below it, after making their content durable: dirty pages
    /// can't be dropped. Does nothing where the system is not Linux.
    /// </summary>
    /// <exception cref="IOException">A file can't be opened or synced, or its pages can't be dropped.</exception>
    public static void Drop(string folder)
    {
        if (!OperatingSystem.IsLinux())
            return;
        foreach (string path in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            using SafeFileHandle file = File.OpenHandle(
                path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            Libc.SyncData(file);
            Libc.DropCache(file);
        }
    }
}
