using System.Globalization;

namespace Faster.Workload.Cells;

/// <summary>What the system has counted of input and output up to a moment.</summary>
/// <param name="ProcessRead">The bytes that this process had fetched from storage.</param>
/// <param name="ProcessWritten">
/// The bytes that it had written, through the page cache (when they were dirtied) or past it.
/// </param>
/// <param name="DeviceRead">The bytes all processes read from a device; null where the system does not tell.</param>
/// <param name="DeviceWritten">The bytes written to it.</param>
/// <param name="DeviceFlushes">How often its cache was flushed.</param>
internal readonly record struct IOCounters(
    long ProcessRead, long ProcessWritten, long? DeviceRead, long? DeviceWritten, long? DeviceFlushes = null)
{
    private const string ProcessFile = "/proc/self/io";
    private const string DisksFile = "/proc/diskstats";
    private const string MountsFile = "/proc/self/mountinfo";
    private const int SectorBytes = 512;

    /// <summary>The counts now; null where the system does not tell.</summary>
    /// <param name="device">The device, as <see cref="DeviceOf"/> gave it, or null for none.</param>
    public static IOCounters? Now(string? device)
    {
        if (!File.Exists(ProcessFile))
            return null;
        Dictionary<string, long> process = File.ReadLines(ProcessFile).Select(line => line.Split(": "))
            .ToDictionary(pair => pair[0], pair => long.Parse(pair[1], CultureInfo.InvariantCulture));
        string[]? disk = device is null || !File.Exists(DisksFile)
            ? null
            : File.ReadLines(DisksFile)
                .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
                .FirstOrDefault(fields => $"{fields[0]}:{fields[1]}" == device);
        long? Count(int field) => disk?.Length > field
            ? long.Parse(disk[field], CultureInfo.InvariantCulture)
            : null;
        return new IOCounters(
            process["read_bytes"], process["write_bytes"], SectorBytes * Count(5), SectorBytes * Count(9), Count(18));
    }

    /// <summary>The bytes that this process has written so far; null where the system does not tell.</summary>
    public static long? BytesWritten() => Now(null)?.ProcessWritten;

    /// <summary>The device below a folder, by its numbers; null where the system does not tell.</summary>
    public static string? DeviceOf(string folder)
    {
        string full = Path.GetFullPath(folder);
        return !File.Exists(MountsFile)
            ? null
            : File.ReadLines(MountsFile).Select(line => line.Split(' '))
                .Where(fields => IsBelow(full, fields[4]))
                .MaxBy(fields => fields[4].Length)?[2];
    }

    private static bool IsBelow(string path, string mount) =>
        mount == "/" || path == mount || path.StartsWith(mount + "/", StringComparison.Ordinal);
}
