using System.Globalization;

namespace Faster.Workload.Cells;

/// <summary>The memory that this process occupies.</summary>
internal static class ProcessMemory
{
    private const string StatusFile = "/proc/self/status";
    private const string Field = "VmRSS:";
    private const string Unit = " kB";

    /// <summary>
    /// The bytes that are resident once the garbage of the managed heap is collected; null where the system does not
    /// tell.
    /// </summary>
    public static long? ResidentBytes()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        return ResidentNow();
    }

    /// <summary>The bytes that are resident, garbage included; null where the system does not tell.</summary>
    public static long? ResidentNow()
    {
        string? line = File.Exists(StatusFile)
            ? File.ReadLines(StatusFile).FirstOrDefault(l => l.StartsWith(Field, StringComparison.Ordinal))
            : null;
        return line is null
            ? null
            : 1024 * long.Parse(
                line[Field.Length..].Replace(Unit, "", StringComparison.Ordinal), CultureInfo.InvariantCulture);
    }
}
