using System.CommandLine;
using System.CommandLine.Parsing;
using Faster;

namespace Samples;

/// <summary>Runs a command, and turns every error into one line.</summary>
internal static class CommandLine
{
    /// <summary>Reads the arguments and runs.</summary>
    /// <param name="about">What the program does.</param>
    /// <param name="options">Its options.</param>
    /// <param name="args">The arguments.</param>
    /// <param name="terminal">Where the program writes.</param>
    /// <param name="run">The program.</param>
    /// <param name="stopped">What is written where the user has stopped it.</param>
    /// <param name="cancellation">Stops it.</param>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(
        string about, Option[] options, string[] args, Terminal terminal,
        Func<ParseResult, CancellationToken, Task<int>> run, Func<ParseResult, string> stopped,
        CancellationToken cancellation)
    {
        RootCommand root = new(about);
        foreach (Option option in options) root.Options.Add(option);
        root.SetAction((parsed, token) => RunGuardedAsync(parsed, terminal, run, stopped, token));

        ParseResult result = root.Parse(args);
        if (result.Errors.Count > 0)
        {
            await terminal.Error.WriteLineAsync($"Error: {result.Errors[0].Message} (--help shows all options.)");
            return ExitCode.Failed;
        }

        InvocationConfiguration configuration = new() { Output = terminal.Output, Error = terminal.Error };
        return await result.InvokeAsync(configuration, cancellation);
    }

    private static async Task<int> RunGuardedAsync(
        ParseResult parsed, Terminal terminal, Func<ParseResult, CancellationToken, Task<int>> run,
        Func<ParseResult, string> stopped, CancellationToken cancellation)
    {
        try
        {
            return await run(parsed, cancellation);
        }
        catch (OperationCanceledException)
        {
            await terminal.Error.WriteLineAsync(stopped(parsed));
            return ExitCode.Interrupted;
        }
        catch (DamagedDataException error)
        {
            await terminal.Error.WriteLineAsync("Error: " + error.Message.ReplaceLineEndings(" "));
            return ExitCode.Damaged;
        }
        catch (Exception error) when (error is InputException or FasterException or IOException
            or UnauthorizedAccessException or OutOfMemoryException)
        {
            await terminal.Error.WriteLineAsync("Error: " + error.Message.ReplaceLineEndings(" "));
            return ExitCode.Failed;
        }
    }
}
