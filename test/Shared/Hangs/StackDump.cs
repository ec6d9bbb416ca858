using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Faster.Testing;

/// <summary>The stacks of all threads of this process, taken by another one: test/Faster.Stacks.</summary>
internal static partial class StackDump
{
    private const int SetTracer = 0x59616d61; // PR_SET_PTRACER
    private const int Attempts = 4;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    /// <summary>The stacks as text, or why there are none. Never throws.</summary>
    /// <remarks>
    /// The runtime's own reader of another process crashes now and then where a thread was stopped in the midst of a
    /// change, as by the compiler: a moment later it does not.
    /// </remarks>
    public static string OfThisProcess()
    {
        string report = "";
        try
        {
            // A child may look at its parent where the system lets only parents look at children.
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
        bool ended = Task.WaitAll([output, errors], Patience) && process.WaitForExit(Patience);
        if (!ended) process.Kill();
        text = (output.IsCompleted ? output.Result : "") + (errors.IsCompleted ? errors.Result : "");
        if (ended && process.ExitCode == 0) return true;
        text += (ended ? $"{tool} ended with exit code {process.ExitCode}."
            : $"{tool} did not end within {Patience.TotalSeconds} s.") + Environment.NewLine;
        return !ended;
    }

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Control(int option, nint argument, nint unused1, nint unused2, nint unused3);
}
