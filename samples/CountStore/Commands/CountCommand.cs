using System.CommandLine;
using System.CommandLine.Parsing;
using CountStore.Counting;
using CountStore.Input;
using Faster;

namespace CountStore.Commands;

/// <summary>The command line: reads and checks the options, runs, and turns every error into one line.</summary>
internal static class CountCommand
{
    private const int MaxTop = 10_000;
    private const int MaxThreads = 256;

    private const string About = """
        Counts every key of an input in a FASTER store on less memory than the keys need. Without --input: every word
        and every phrase of two and three words of the SDK's documentation.

        With --data DIR --resume a run may be killed at any moment: run the same command again, and it goes on from the
        last commit, with counts as if it had never stopped. What follows the last commit is counted again; with
        --durability each-operation only what was not acknowledged is.
        """;

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
        CustomParser = OptionParsers.Format,
    };

    private static readonly Option<CountEngine?> EngineOption = new("--engine")
    {
        Description = $"The store's engine: {CountEngine.Choices}, which keeps counts at rest in a log of their own, "
            + $"with a small index, and needs {CountEngine.Tiered.MinMemory} of --memory. Default: faster; with "
            + "--resume, the same as before.",
        HelpName = "ENGINE",
        CustomParser = OptionParsers.Engine,
    };

    private static readonly Option<ByteSize> MemoryOption = new("--memory")
    {
        Description = "The store's memory budget, such as 16MB.",
        HelpName = "SIZE",
        DefaultValueFactory = _ => CountOptions.DefaultMemory,
        CustomParser = static result => ValueParsers.Memory(result, StoreOptions.MinMemoryBudget),
    };

    private static readonly Option<int?> ThreadsOption = new("--threads")
    {
        Description = "How many threads count. Default: one a processor, up to 8; with --resume, as many as before.",
        HelpName = "N",
        CustomParser = result => ValueParsers.Number(result, 1, MaxThreads),
    };

    private static readonly Option<int> TopOption = new("--top")
    {
        Description = "How many of the most frequent keys to show.",
        HelpName = "N",
        DefaultValueFactory = _ => 10,
        CustomParser = result => ValueParsers.Number(result, 0, MaxTop),
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
        Description = "A new or empty folder for the store, which commits to it and stays. Default: a temporary one "
            + "without commits, removed at the end.",
        HelpName = "DIR",
    };

    private static readonly Option<TimeSpan?> CommitEveryOption = new("--commit-every")
    {
        Description = "How often to commit to --data, such as 50ms or 2s: what a killed run has to count again at "
            + "most. Default: 1s. There is a commit at the end in any case.",
        HelpName = "TIME",
        CustomParser = ValueParsers.Duration,
    };

    private static readonly Option<Durability?> DurabilityOption = new("--durability")
    {
        Description = "When a count in --data is durable: commits, with the next commit, or each-operation, before it "
            + "is acknowledged. Default: commits.",
        HelpName = "MODE",
        CustomParser = OptionParsers.Durability,
    };

    private static readonly Option<bool> ResumeOption = new("--resume")
    {
        Description = "Go on from the last commit in --data, with the same --input and --format; begin where there is "
            + "none yet.",
    };

    /// <summary>Runs the program.</summary>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static Task<int> RunAsync(string[] args, Terminal terminal, CancellationToken cancellation = default) =>
        CommandLine.RunAsync(
            About,
            [InputOption, FormatOption, EngineOption, MemoryOption, ThreadsOption, TopOption, VerifyOption, JsonOption,
                DataOption, CommitEveryOption, DurabilityOption, ResumeOption],
            args, terminal, (parsed, token) => CountRun.RunAsync(Read(parsed), terminal, token),
            static parsed => parsed.GetValue(DataOption) is null
                ? "Stopped."
                : "Stopped. Run the same again with --resume to go on from the last commit.",
            cancellation);

    private static CountOptions Read(ParseResult parsed)
    {
        string? path = parsed.GetValue(InputOption);
        InputFormat? format = parsed.GetValue(FormatOption);
        if (path is null && format is not null)
            throw new InputException("--format says how to read a file; name the file by --input.");
        if (path is not null && format is null)
            throw new InputException(
                $"--format is missing: say how to read the input '{path}' ({InputFormat.Choices}).");
        string? folder = parsed.GetValue(DataOption);
        TimeSpan? commitEvery = parsed.GetValue(CommitEveryOption);
        Durability? durability = parsed.GetValue(DurabilityOption);
        bool resume = parsed.GetValue(ResumeOption);
        if (folder is null && (resume || commitEvery is not null || durability is not null))
        {
            string option = resume ? ResumeOption.Name
                : commitEvery is not null ? CommitEveryOption.Name : DurabilityOption.Name;
            throw new InputException($"{option} is about a folder that stays: name it by --data.");
        }

        return new CountOptions
        {
            InputPath = path,
            Format = format ?? InputFormat.Words,
            Engine = parsed.GetValue(EngineOption),
            Memory = parsed.GetValue(MemoryOption),
            Threads = parsed.GetValue(ThreadsOption),
            Top = parsed.GetValue(TopOption),
            Verify = parsed.GetValue(VerifyOption),
            Json = parsed.GetValue(JsonOption),
            DataFolder = folder,
            CommitEvery = commitEvery ?? CountOptions.DefaultCommitEvery,
            Durability = durability ?? Durability.Commits,
            Resume = resume,
        };
    }
}
