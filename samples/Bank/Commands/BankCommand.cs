using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Bank.Lives;
using Bank.Transfers;
using Faster;

namespace Bank.Commands;

/// <summary>The command line.</summary>
internal static class BankCommand
{
    private const int MostAccounts = 1_000_000_000, MostSessions = 256, MostSeconds = 86_400;

    private const string About = """
        Transfers money between the accounts of a transactional store: many sessions at once, in a process that is
        killed at any moment and goes on from what is durable. After each kill, the sum of all accounts must be what it
        was, and everything that was promised must be there. The exit code is 0 only then.
        """;

    private static readonly Option<Mode> ModeOption = new("--mode")
    {
        Description = $"How transfers become durable: {Mode.Choices}.",
        HelpName = "MODE",
        DefaultValueFactory = static _ => Mode.Default,
        CustomParser = static result =>
        {
            string text = result.Tokens[0].Value;
            if (Mode.TryParse(text, out Mode? mode)) return mode;
            result.AddError($"--mode '{text}' is unknown: use {Mode.Choices}.");
            return null;
        },
    };

    private static readonly Option<int> AccountsOption = Number(
        "--accounts", "How many accounts there are.", 1_000_000, 2, MostAccounts);

    private static readonly Option<int> SessionsOption = Number(
        "--sessions", "How many sessions transfer money, a thread each.", 4, 1, MostSessions);

    private static readonly Option<int> SecondsOption = Number(
        "--seconds", "How long they do, without the checks after each kill.", 10, 1, MostSeconds);

    private static readonly Option<TimeSpan?> KillEveryOption = new("--kill-every")
    {
        Description = "About how long the process lives until it is killed, such as 2s. Default: it is not killed.",
        HelpName = "TIME",
        CustomParser = ValueParsers.Duration,
    };

    private static readonly Option<TimeSpan?> CommitEveryOption = new("--commit-every")
    {
        Description = "How often the store commits. Default: 500ms.",
        HelpName = "TIME",
        DefaultValueFactory = static _ => TimeSpan.FromMilliseconds(500),
        CustomParser = ValueParsers.Duration,
    };

    private static readonly Option<ByteSize> MemoryOption = new("--memory")
    {
        Description = "The store's memory budget, such as 64MB. Default: what the accounts need.",
        HelpName = "SIZE",
        CustomParser = static result => ValueParsers.Memory(result, TransactionalOptions.MinMemoryBudget),
    };

    private static readonly Option<int> SeedOption = Number(
        "--seed", "Chooses the transfers, and when the process is killed.", 1, 0, int.MaxValue);

    private static readonly Option<bool> VerifyOption = new("--verify")
    {
        Description = "Compute every balance again, transfer by transfer, and compare it after each kill.",
    };

    private static readonly Option<bool> JsonOption = new("--json")
    {
        Description = "Print the results as JSON; the closing line then goes to the error stream.",
    };

    private static readonly Option<string?> DataOption = new("--data")
    {
        Description = "A new or empty folder for the store, which stays. Default: a temporary one.",
        HelpName = "DIR",
    };

    // What a run starts the process with that it kills.
    private static readonly Option<bool> LifeOption = new("--life") { Hidden = true };

    /// <summary>Runs the program.</summary>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static Task<int> RunAsync(string[] args, Terminal terminal, CancellationToken cancellation = default) =>
        CommandLine.RunAsync(
            About,
            [ModeOption, AccountsOption, SessionsOption, SecondsOption, KillEveryOption, CommitEveryOption,
                MemoryOption, SeedOption, VerifyOption, JsonOption, DataOption, LifeOption],
            args, terminal,
            (parsed, token) => parsed.GetValue(LifeOption)
                ? Life.RunAsync(Read(parsed), terminal.Output, token)
                : BankRun.RunAsync(Read(parsed), terminal, token),
            static _ => "Stopped.", cancellation);

    /// <summary>The arguments of a process that lives for some of a run's time.</summary>
    public static string[] ArgumentsOfLife(BankOptions options, string folder, TimeSpan left) =>
    [
        LifeOption.Name, ModeOption.Name, options.Mode.Name, AccountsOption.Name, Text(options.Accounts),
        SessionsOption.Name, Text(options.Sessions), SecondsOption.Name, Text(Math.Max((int)left.TotalSeconds, 1)),
        CommitEveryOption.Name, Text((int)options.CommitEvery.TotalMilliseconds) + "ms",
        MemoryOption.Name, Text(options.Memory.Bytes) + "B", SeedOption.Name, Text(options.Seed),
        DataOption.Name, folder,
    ];

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static Option<int> Number(string name, string about, int byDefault, int least, int most) => new(name)
    {
        Description = about,
        HelpName = "N",
        DefaultValueFactory = _ => byDefault,
        CustomParser = result => ValueParsers.Number(result, least, most),
    };

    private static BankOptions Read(ParseResult parsed)
    {
        int accounts = parsed.GetValue(AccountsOption);
        ByteSize memory = parsed.GetValue(MemoryOption);
        return new BankOptions
        {
            Mode = parsed.GetValue(ModeOption)!,
            Accounts = accounts,
            Sessions = parsed.GetValue(SessionsOption),
            Duration = TimeSpan.FromSeconds(parsed.GetValue(SecondsOption)),
            KillEvery = parsed.GetValue(KillEveryOption),
            CommitEvery = parsed.GetValue(CommitEveryOption)!.Value,
            Memory = memory == default ? MemoryFor(accounts) : memory,
            Seed = parsed.GetValue(SeedOption),
            Verify = parsed.GetValue(VerifyOption),
            Json = parsed.GetValue(JsonOption),
            DataFolder = parsed.GetValue(DataOption),
        };
    }

    // Records, the index, and what a commit copies.
    private static ByteSize MemoryFor(int accounts)
    {
        const int each = 96;
        return new ByteSize(Math.Max(ByteSize.MiB(8).Bytes, (long)accounts * each));
    }
}
