using System.Diagnostics;
using Bank.Commands;

namespace Bank.Lives;

/// <summary>A process that lives, and can be killed.</summary>
internal sealed class LifeProcess : IDisposable
{
    private readonly Process _process;
    private bool _isKilled;

    private LifeProcess(Process process, Notes notes, int tellers)
    {
        _process = process;
        Ended = ListenAsync(notes, tellers);
    }

    /// <summary>
    /// Ends with the process, when all that it has said is noted; with what went wrong, or null.
    /// </summary>
    public Task<string?> Ended { get; }

    /// <summary>Starts a process.</summary>
    public static LifeProcess Start(BankOptions options, string folder, TimeSpan left, Notes notes)
    {
        string[] arguments = ["exec", typeof(LifeProcess).Assembly.Location,
            .. BankCommand.ArgumentsOfLife(options, folder, left)];
        ProcessStartInfo start = new(Host(), arguments)
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
            Environment = { ["DOTNET_EnableDiagnostics"] = "0" }, // its pipes would outlive a process that is killed
        };
        notes.Begin();
        return new LifeProcess(Process.Start(start)!, notes, options.Sessions);
    }

    /// <summary>Kills the process as it is (SIGKILL), if it has not ended.</summary>
    public void Kill()
    {
        if (_process.HasExited) return;
        _isKilled = true;
        _process.Kill();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Kill();
        _process.WaitForExit(); // it may have files open that are about to be removed
        _process.Dispose();
    }

    private static string Host() =>
        Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet";

    private async Task<string?> ListenAsync(Notes notes, int tellers)
    {
        Task<string> errors = _process.StandardError.ReadToEndAsync();
        while (await _process.StandardOutput.ReadLineAsync() is { } text)
            if (LifeLine.Parse(text, tellers) is { } line) notes.Add(line);
        await _process.WaitForExitAsync();
        bool isFailed = _process.ExitCode != ExitCode.Ok && !_isKilled;
        notes.End(_isKilled);
        return isFailed ? $"A process ended with exit code {_process.ExitCode}. {await errors}".TrimEnd() : null;
    }
}
