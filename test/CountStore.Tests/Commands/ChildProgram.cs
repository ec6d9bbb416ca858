using System.Diagnostics;
using CountStore.Commands;

namespace CountStore.Tests.Commands;

/// <summary>The program in a process of its own, which can be killed.</summary>
internal sealed class ChildProgram : IDisposable
{
    private readonly Process _process;
    private readonly Task<string> _output;
    private readonly Task<string> _error;

    private ChildProgram(Process process)
    {
        _process = process;
        _output = process.StandardOutput.ReadToEndAsync();
        _error = process.StandardError.ReadToEndAsync();
        Ended = process.WaitForExitAsync();
    }

    /// <summary>Ends with the process.</summary>
    public Task Ended { get; }

    /// <summary>Starts the program.</summary>
    public static ChildProgram Start(params string[] args) =>
        new(Process.Start(StartInfo("dotnet", [.. Command, .. args]))!);

    /// <summary>Starts a script in which <c>"$@"</c> runs the program.</summary>
    public static ChildProgram StartScript(string shell, string[] options, string script) =>
        new(Process.Start(StartInfo(shell, [.. options, script, "sh", "dotnet", .. Command]))!);

    /// <summary>Waits for the end.</summary>
    /// <returns>Exit code, output and errors.</returns>
    public async Task<(int Code, string Output, string Error)> EndAsync()
    {
        await Ended;
        return (_process.ExitCode, await _output, await _error);
    }

    /// <summary>Kills the process as it is (SIGKILL).</summary>
    public void Kill() => _process.Kill();

    public void Dispose()
    {
        if (!_process.HasExited) _process.Kill(entireProcessTree: true);
        _process.Dispose();
    }

    private static string[] Command => ["exec", typeof(CountCommand).Assembly.Location];

    private static ProcessStartInfo StartInfo(string file, string[] args) => new(file, args)
    {
        RedirectStandardOutput = true, RedirectStandardError = true,
        Environment = { ["DOTNET_EnableDiagnostics"] = "0" }, // its pipes would outlive a process that is killed
    };
}
