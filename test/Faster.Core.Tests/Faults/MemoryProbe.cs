using System.Diagnostics;
using System.Globalization;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>Runs the program Faster.MemoryProbe, whose process is used by nothing else.</summary>
internal static class MemoryProbe
{
    /// <summary>Starts the program with its input and output in the caller's hands.</summary>
    public static Process Start(params string[] arguments) => TestProgram.Start(nameof(MemoryProbe), arguments);

    /// <summary>Runs it to its end, over a folder of its own, and reads the figures that it prints first.</summary>
    public static async Task<(Dictionary<string, long> Figures, string Text)> RunAsync(params string[] arguments)
    {
        using var folder = new TemporaryFolder(onDisk: true);
        string text = await TestProgram.RunAsync(nameof(MemoryProbe), [.. arguments, folder.Path]);
        return (Parse(text), text);
    }

    private static Dictionary<string, long> Parse(string text) => text.Split('\n')
        .Where(static line => !line.Contains(Samples.Mark, StringComparison.Ordinal))
        .SelectMany(static line => line.Split(' '))
        .Select(word => word.Split('='))
        .Where(pair => pair.Length == 2 && long.TryParse(pair[1], CultureInfo.InvariantCulture, out _))
        .ToDictionary(pair => pair[0], pair => long.Parse(pair[1], CultureInfo.InvariantCulture));
}
