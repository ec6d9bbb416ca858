using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Faster.Testing;

/// <summary>The stacks of all threads of this process, taken by another process: test/Faster.Stacks.</summary>
internal static partial class StackDump
{
    private const int SetTracer = 0x59616d61; // PR_SET_PTRACER
    private const int Attempts = 4;
    private static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(90);

    /// <summary>The stacks as text, or why there are none. Never throws.</summary>
    /// <remarks>
    /// The runtime's reader of another process sometimes crashes if a thread was stopped in the middle of a change, for
    /// example by the compiler; a moment later it succeeds.
    /// </remarks>
    public static string OfThisProcess()
    {
        string report = "";
        try
        {
            // Lets the child inspect its parent on systems where only parents may inspect their children.
            if (OperatingSystem.IsLinux()) _ = Control(SetTracer, -1, 0, 0, 0);
            for (int i = 0; i < Attempts; i++)
            {
                if (TryTake(out string text)) return text;
                report += text;
            }

            return report;
        }
        catch (Exception e)
        {
            return $"{report}The stacks can't be taken: {e}";
        }
    }

    private static bool TryTake(out string text)
    {
        string tool = typeof(StackDump).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(static metadata => metadata.Key == "Stacks").Value!;
        var start = new ProcessStartInfo(
            Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet",
            ["exec", tool, $"{Environment.ProcessId}"])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync(), errors = process.StandardError.ReadToEndAsync();
        bool ended = Task.WaitAll([output, errors], StallTimeout) && process.WaitForExit(StallTimeout);
        if (!ended) process.Kill();
        text = (output.IsCompleted ? output.Result : "") + (errors.IsCompleted ? errors.Result : "");
        if (ended && process.ExitCode == 0) return true;
        text += (ended ? $"{tool} ended with exit code {process.ExitCode}."
            : $"{tool} did not end within {StallTimeout.TotalSeconds} s.") + Environment.NewLine;
        return !ended;
    }

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Control(int option, nint argument, nint unused1, nint unused2, nint unused3);
}
