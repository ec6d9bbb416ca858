using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using Faster.Store.Waiting;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>Runs the program Faster.MemoryProbe, whose process is used by nothing else.</summary>
internal static class MemoryProbe
{
    private static readonly TimeSpan StallTimeout = TimeSpan.FromMinutes(5);

    /// <summary>Starts the program with its input and output in the caller's hands.</summary>
    public static Process Start(params string[] arguments)
    {
        string program = typeof(MemoryProbe).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(a => a.Key == "MemoryProbe").Value!;
        return Process.Start(new ProcessStartInfo("dotnet", ["exec", program, .. arguments])
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,

            // The runtime's young generation would otherwise be as large as the processor's cache, tens of MiB.
            // And what a debugger would connect to would outlive a process that is killed.
            // Code is compiled once: the compiler's own memory comes and goes no more when the program is warm.
            Environment =
            {
                ["DOTNET_GCgen0size"] = "0x100000", ["DOTNET_EnableDiagnostics"] = "0",
                ["DOTNET_TieredCompilation"] = "0",
            },
        })!;
    }

    /// <summary>Runs it to its end, over a folder of its own, and reads the figures that it prints first.</summary>
    public static async Task<(Dictionary<string, long> Figures, string Text)> RunAsync(params string[] arguments)
    {
        using var folder = new TemporaryFolder(onDisk: true);
        using Process process = Start([.. arguments, folder.Path]);
        using var stall = new CancellationTokenSource(StallTimeout);
        try
        {
            Task<string> error = process.StandardError.ReadToEndAsync(stall.Token);
            string text = await process.StandardOutput.ReadToEndAsync(stall.Token);
            await process.WaitForExitAsync(stall.Token);
            Assert.True(process.ExitCode == 0, text + await error);
            return (Parse(text), text);
        }
        finally
        {
            if (!process.HasExited) process.Kill();
        }
    }

    private static Dictionary<string, long> Parse(string text) => text.Split('\n')
        .Where(static line => !line.Contains(Samples.Mark, StringComparison.Ordinal))
        .SelectMany(static line => line.Split(' '))
        .Select(word => word.Split('='))
        .Where(pair => pair.Length == 2 && long.TryParse(pair[1], CultureInfo.InvariantCulture, out _))
        .ToDictionary(pair => pair[0], pair => long.Parse(pair[1], CultureInfo.InvariantCulture));
}
