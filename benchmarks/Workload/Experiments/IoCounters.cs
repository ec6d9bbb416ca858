using System.Globalization;

namespace Faster.Workload.Experiments;

/// <summary>What the system has counted of this process's input and output.</summary>
internal static class IoCounters
{
    private const string File = "/proc/self/io";
    private const string Field = "write_bytes: ";

    /// <summary>
    /// The bytes written to storage so far, through the page cache (when they were dirtied) or past it; null where the
    /// system does not tell.
    /// </summary>
    public static long? BytesWritten() => !System.IO.File.Exists(File)
        ? null
        : System.IO.File.ReadLines(File)
            .Where(line => line.StartsWith(Field, StringComparison.Ordinal))
            .Select(line => (long?)long.Parse(line.AsSpan(Field.Length), CultureInfo.InvariantCulture))
            .FirstOrDefault();
}
