using System.Diagnostics;
using System.Reflection;

namespace Faster.Tests.Faults;

/// <summary>Programs that these tests start, each in a process that is used by nothing else.</summary>
internal static class TestProgram
{
    private static readonly TimeSpan StallTimeout = TimeSpan.FromMinutes(5);

    /// <summary>Starts a program with its input and output in the caller's hands.</summary>
    /// <param name="name">Under which the project file notes where it was built.</param>
    /// <param name="arguments">Its arguments.</param>
    public static Process Start(string name, params string[] arguments)
    {
        string program = typeof(TestProgram).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(a => a.Key == name).Value!;
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

    /// <summary>Runs a program to its end, which must be a good one.</summary>
    /// <inheritdoc cref="Start"/>
    /// <returns>What it has printed.</returns>
    public static async Task<string> RunAsync(string name, params string[] arguments)
    {
        using Process process = Start(name, arguments);
        using var stall = new CancellationTokenSource(StallTimeout);
        try
        {
            Task<string> error = process.StandardError.ReadToEndAsync(stall.Token);
            string text = await process.StandardOutput.ReadToEndAsync(stall.Token);
            await process.WaitForExitAsync(stall.Token);
            Assert.True(process.ExitCode == 0, text + await error);
            return text;
        }
        finally
        {
            if (!process.HasExited) process.Kill();
        }
    }
}
