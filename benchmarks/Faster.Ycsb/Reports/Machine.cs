using System.Runtime.InteropServices;

namespace Faster.Ycsb.Reports;

/// <summary>Where a report comes from.</summary>
/// <param name="Processor">The processor's name.</param>
/// <param name="Cores">How many processors the system shows.</param>
/// <param name="MemoryBytes">The memory that the runtime may use.</param>
/// <param name="System">The operating system.</param>
/// <param name="Runtime">The .NET runtime.</param>
internal sealed record Machine(string Processor, int Cores, long MemoryBytes, string System, string Runtime)
{
    private const string ProcessorFile = "/proc/cpuinfo";

    /// <summary>This machine.</summary>
    public static Machine Here() => new(
        ProcessorName(), Environment.ProcessorCount, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        RuntimeInformation.OSDescription, RuntimeInformation.FrameworkDescription);

    private static string ProcessorName()
    {
        string? line = File.Exists(ProcessorFile)
            ? File.ReadLines(ProcessorFile).FirstOrDefault(l => l.StartsWith("model name", StringComparison.Ordinal))
            : null;
        return line is null
            ? RuntimeInformation.ProcessArchitecture.ToString()
            : line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
    }
}
