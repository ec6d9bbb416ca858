using System.Globalization;

namespace Faster.Workload.Cells;

/// <summary>The memory that this process occupies.</summary>
internal static class ProcessMemory
{
    private const string StatusFile = "/proc/self/status";
    private const string ResetFile = "/proc/self/clear_refs";
    private const string ResetPeak = "5";
    private const string Resident = "VmRSS:", Peak = "VmHWM:";
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
    public static long? ResidentNow() => BytesOf(Resident);

    /// <summary>
    /// The most bytes that were resident at once since <see cref="TryResetPeak"/>; null where the system does not tell.
    /// </summary>
    public static long? PeakBytes() => BytesOf(Peak);

    /// <summary>Has the system count the peak from now on; false where it can't.</summary>
    public static bool TryResetPeak()
    {
        if (!File.Exists(ResetFile))
            return false;
        try
        {
            File.WriteAllText(ResetFile, ResetPeak);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static long? BytesOf(string field)
    {
        string? line = File.Exists(StatusFile)
            ? File.ReadLines(StatusFile).FirstOrDefault(l => l.StartsWith(field, StringComparison.Ordinal))
            : null;
        return line is null
            ? null
            : 1024 * long.Parse(
                line[field.Length..].Replace(Unit, "", StringComparison.Ordinal), CultureInfo.InvariantCulture);
    }
}
