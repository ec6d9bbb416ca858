using System.CommandLine;
using System.CommandLine.Parsing;
using CountStore.Input;
using Faster;

namespace CountStore.Commands;

/// <summary>The command line: reads and checks the options, runs, and turns every error into one line.</summary>
internal static class CountCommand
{
    private const int MaxTop = 10_000;
    private const int MaxThreads = 256;

    private static readonly Option<string?> InputOption = new("--input")
    {
        Description = "The file to count; *.gz is decompressed. Default: the XML documentation of the SDK.",
        HelpName = "FILE",
    };

    private static readonly Option<InputFormat?> FormatOption = new("--format")
    {
        Description = "How the file is cut into keys: u32le, u32be, u64be, lines, words or csv:COLUMN, "
            + "where COLUMN is a name in the header line, or a number from 1 for files without one.",
        HelpName = "FORMAT",
        CustomParser = ParseFormat,
    };

    private static readonly Option<ByteSize> MemoryOption = new("--memory")
    {
        Description = "The store's memory budget, such as 16MB.",
        HelpName = "SIZE",
        DefaultValueFactory = _ => CountOptions.DefaultMemory,
        CustomParser = ParseMemory,
    };

    private static readonly Option<int> ThreadsOption = new("--threads")
    {
        Description = "How many threads count.",
        HelpName = "N",
        DefaultValueFactory = _ => CountOptions.DefaultThreads,
        CustomParser = result => ParseNumber(result, 1, MaxThreads),
    };

    private static readonly Option<int> TopOption = new("--top")
    {
        Description = "How many of the most frequent keys to show.",
        HelpName = "N",
        DefaultValueFactory = _ => 10,
        CustomParser = result => ParseNumber(result, 0, MaxTop),
    };

    private static readonly Option<bool> VerifyOption = new("--verify")
    {
        Description =
            "Count again by a plain dictionary, compare every key both ways, and exit with 1 on a difference.",
    };

    private static readonly Option<bool> JsonOption = new("--json")
    {
        Description = "Print the results as JSON; the closing line then goes to the error stream.",
    };

    private static readonly Option<string?> DataOption = new("--data")
    {
        Description = "An empty or new folder for the store, kept afterwards. Default: a temporary one, removed.",
        HelpName = "FOLDER",
    };

    /// <summary>Runs the program.</summary>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(string[] args, Terminal terminal, CancellationToken cancellation = default)
    {
        RootCommand root = new("Counts every key of an input in a FASTER store on less memory than the keys need. "
            + "Without --input: every word and every phrase of two and three words of the SDK's documentation.");
        foreach (Option option in (Option[])[InputOption, FormatOption, MemoryOption, ThreadsOption, TopOption,
            VerifyOption, JsonOption, DataOption]) root.Options.Add(option);
        root.SetAction((parsed, token) => RunGuardedAsync(parsed, terminal, token));

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
        ParseResult parsed, Terminal terminal, CancellationToken cancellation)
    {
        try
        {
            return await CountRun.RunAsync(Read(parsed), terminal, cancellation);
        }
        catch (OperationCanceledException)
        {
            await terminal.Error.WriteLineAsync("Stopped.");
            return ExitCode.Interrupted;
        }
        catch (Exception error) when (error is InputException or FasterException or IOException
            or UnauthorizedAccessException or OutOfMemoryException)
        {
            await terminal.Error.WriteLineAsync("Error: " + error.Message.ReplaceLineEndings(" "));
            return ExitCode.Failed;
        }
    }

    private static CountOptions Read(ParseResult parsed)
    {
        string? path = parsed.GetValue(InputOption);
        InputFormat? format = parsed.GetValue(FormatOption);
        if (path is null && format is not null)
            throw new InputException("--format says how to read a file; name the file by --input.");
        if (path is not null && format is null)
            throw new InputException(
                $"--format is missing: say how to read the input '{path}' ({InputFormat.Choices}).");
        return new CountOptions
        {
            InputPath = path,
            Format = format ?? InputFormat.Words,
            Memory = parsed.GetValue(MemoryOption),
            Threads = parsed.GetValue(ThreadsOption),
            Top = parsed.GetValue(TopOption),
            Verify = parsed.GetValue(VerifyOption),
            Json = parsed.GetValue(JsonOption),
            DataFolder = parsed.GetValue(DataOption),
        };
    }

    private static InputFormat? ParseFormat(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (InputFormat.TryParse(text, out InputFormat? format)) return format;
        result.AddError($"--format '{text}' is unknown: use {InputFormat.Choices}.");
        return null;
    }

    private static ByteSize ParseMemory(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        ByteSize most = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
        if (!ByteSize.TryParse(text, out ByteSize size))
            result.AddError($"--memory '{text}' is not a size: write a number and a unit, such as 16MB.");
        else if (size < StoreOptions.LeastMemoryBudget || size > most)
            result.AddError($"--memory {text} is out of range: from {StoreOptions.LeastMemoryBudget} to {most} here.");
        return size;
    }

    private static int ParseNumber(ArgumentResult result, int least, int most)
    {
        string text = result.Tokens[0].Value;
        string option = ((OptionResult)result.Parent!).Option.Name;
        if (!int.TryParse(text, out int number) || number < least || number > most)
            result.AddError($"{option} '{text}' is not a whole number from {least} to {most}.");
        return number;
    }
}
