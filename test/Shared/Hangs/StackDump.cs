using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Faster.Testing;

/// <summary>The stacks of all threads of this process, taken by another one: test/Faster.Stacks.</summary>
internal static partial class StackDump
{
    private const int SetTracer = 0x59616d61; // PR_SET_PTRACER
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    /// <summary>The stacks as text, or why there are none. Never throws.</summary>
    public static string OfThisProcess()
    {
        try
        {
            // A child may look at its parent where the system lets only parents look at children.
            if (OperatingSystem.IsLinux()) _ = Control(SetTracer, -1, 0, 0, 0);
            string tool = typeof(StackDump).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
                .Single(static metadata => metadata.Key == "Stacks").Value!;
            var start = new ProcessStartInfo(
                Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet"
                    ? path : "dotnet",
                ["exec", tool, $"{Environment.ProcessId}"])
            {
                RedirectStandardOutput = true, RedirectStandardError = true,
            };
            using Process process = Process.Start(start)!;
            Task<string> output = process.StandardOutput.ReadToEndAsync();
            Task<string> errors = process.StandardError.ReadToEndAsync();
            bool ended = Task.WaitAll([output, errors], Patience);
            if (!ended) process.Kill();
            return (output.IsCompleted ? output.Result : "") + (errors.IsCompleted ? errors.Result : "")
                + (ended ? "" : $"{tool} did not end within {Patience.TotalSeconds} s.");
        }
        catch (Exception e)
        {
            return $"The stacks can't be taken: {e}";
        }
    }

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Control(int option, nint argument, nint unused1, nint unused2, nint unused3);
}
