using System.Diagnostics;

namespace Faster.Workload;

/// <summary>
/// Runs a program to its end in a process of its own, so that no engine inherits another's heap or compiled code.
/// </summary>
internal static class ChildProgram
{
    /// <summary>Starts a program, waits for it and returns what it wrote to its standard output.</summary>
    /// <param name="program">An assembly (.dll), which <c>dotnet exec</c> runs, or an executable.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="cancellationToken">Kills the program.</param>
    /// <exception cref="InvalidOperationException">The program failed; the message holds what it wrote.</exception>
    public static async Task<string> RunAsync(
        string program, IReadOnlyCollection<string> arguments, CancellationToken cancellationToken)
    {
        using Process process = Process.Start(StartOf(program, arguments))!;
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(cancellationToken);
            string output = await process.StandardOutput.ReadToEndAsync(cancellationToken);
            await process.WaitForExitAsync(cancellationToken);
            return process.ExitCode == 0
                ? output
                : throw new InvalidOperationException(
                    $"{program} {string.Join(' ', arguments)} failed with {process.ExitCode}: {await errors}{output}");
        }
        finally
        {
            if (!process.HasExited)
            {
                // Waited for, because the caller may remove the files that it has open.
                process.Kill(entireProcessTree: true);
                process.WaitForExit();
            }
        }
    }

    private static ProcessStartInfo StartOf(string program, IReadOnlyCollection<string> arguments)
    {
        bool isAssembly = program.EndsWith(".dll", StringComparison.OrdinalIgnoreCase);
        return new ProcessStartInfo(
            isAssembly ? Host() : program, isAssembly ? ["exec", program, .. arguments] : arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
    }

    private static string Host() =>
        Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet";
}
