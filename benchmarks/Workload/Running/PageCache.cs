using Microsoft.Win32.SafeHandles;

namespace Faster.Workload;

/// <summary>
/// The system's cache of files, which would otherwise serve what was just written to whatever reads it next.
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
            using SafeFileHandle file = Libc.OpenLocked(path);
            Libc.SyncData(file);
            Libc.DropCache(file);
        }
    }
}
