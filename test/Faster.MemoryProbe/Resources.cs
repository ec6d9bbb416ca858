using System.Globalization;
using System.Runtime.InteropServices;

namespace Faster.MemoryProbe;

/// <summary>What this process holds of the system.</summary>
internal static partial class Resources
{
    /// <summary>The resident set in bytes.</summary>
    public static long Resident()
    {
        string line = File.ReadLines("/proc/self/status").First(l => l.StartsWith("VmRSS:", StringComparison.Ordinal));
        return long.Parse(line.AsSpan(6).Trim()[..^3], CultureInfo.InvariantCulture) * 1024;
    }

    /// <summary>The open handles.</summary>
    public static int Handles() => Directory.EnumerateFileSystemEntries("/proc/self/fd").Count();

    /// <summary>The threads, without those of the runtime's pool and of io_uring, which come and go.</summary>
    public static int Threads() =>
        Directory.EnumerateDirectories("/proc/self/task").Count(task => !IsOfRing(task)) - ThreadPool.ThreadCount;

    /// <summary>What the C library has allocated; 0 where it does not say.</summary>
    public static long Native()
    {
        try
        {
            AllocatorFigures figures = ReadAllocator();
            return (long)(figures.InUse + figures.Mapped);
        }
        catch (EntryPointNotFoundException)
        {
            return 0; // another library than glibc
        }
    }

    /// <summary>
    /// Collects garbage, and makes the C library return what it keeps of memory that was freed: each thread has a heap
    /// of its own there, so what is kept depends on which threads have run.
    /// </summary>
    public static void Settle()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        try
        {
            _ = Trim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // another library than glibc
        }
    }

    private static bool IsOfRing(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm")).StartsWith("iou-", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return true; // it has ended
        }
    }

    [LibraryImport("libc", EntryPoint = "malloc_trim")]
    private static partial int Trim(nuint kept);

    [LibraryImport("libc", EntryPoint = "mallinfo2")]
    private static partial AllocatorFigures ReadAllocator();

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct AllocatorFigures
    {
        private readonly nuint _arena, _freeChunks, _fastChunks, _mappedChunks;
        public readonly nuint Mapped;
        private readonly nuint _unused, _freeFast;
        public readonly nuint InUse;
        private readonly nuint _free, _top;
    }
}
