using System.Diagnostics;
using System.Globalization;

namespace Faster.MemoryProbe;

/// <summary>What this process holds of the system.</summary>
internal static class Resources
{
    /// <summary>The resident set in bytes.</summary>
    public static long Resident()
    {
        string line = File.ReadLines("/proc/self/status").First(l => l.StartsWith("VmRSS:", StringComparison.Ordinal));
        return long.Parse(line.AsSpan(6).Trim()[..^3], CultureInfo.InvariantCulture) * 1024;
    }

    /// <summary>The open handles.</summary>
    public static int Handles() => Directory.EnumerateFileSystemEntries("/proc/self/fd").Count();

    /// <summary>The threads.</summary>
    public static int Threads()
    {
        using var process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }

    /// <summary>Collects garbage, so that what stays is what is held.</summary>
    public static void Settle()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }
    }
}
