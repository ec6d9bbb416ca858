using System.Diagnostics;
using System.Globalization;
using System.Text;
using Faster.Contracts;
using Faster.Crash.Leases;
using Faster.Operations.Waiting;

namespace Faster.Crash.Swarm;

/// <summary>
/// A store whose lives are processes, which are killed: each reads the journal of those before it, judges by it what it
/// recovers, and goes on.
/// </summary>
internal static class SwarmProcess
{
    /// <summary>The first argument of such a life; seed, life and folder follow.</summary>
    public const string Name = "swarm-life";

    private const string Begun = "begun", Done = "done";
    private const int LongestLife = 2_000, StallTimeout = 180_000;

    /// <summary>Starts and kills the lives of a plan's store.</summary>
    /// <exception cref="SwarmViolation">A life has found a broken promise.</exception>
    public static async Task GoAsync(SwarmPlan plan, string folder, SwarmTally counters)
    {
        counters.Add(SwarmCount.Stores);
        Directory.CreateDirectory(folder);
        var random = new Random(plan.Seed);
        for (int life = 1; life <= plan.Lives; life++)
        {
            counters.Add(SwarmCount.Lives);
            bool isLast = life == plan.Lives;
            await LiveAsync(plan, folder, life, isLast ? StallTimeout : random.Next(LongestLife), counters)
                .ConfigureAwait(false);
        }

        Directory.Delete(folder, recursive: true);
    }

    /// <summary>One life, in this process.</summary>
    /// <returns>The exit status: 1 if a promise was broken.</returns>
    public static async Task<int> MainAsync(string[] arguments)
    {
        SwarmPlan plan = SwarmPlan.Of(int.Parse(arguments[1], CultureInfo.InvariantCulture));
        int life = int.Parse(arguments[2], CultureInfo.InvariantCulture);
        string journal = JournalOf(arguments[3]);
        LeaseTime? clock = plan.Expires ? new LeaseTime() : null;
        SwarmHistory history = SwarmJournal.Read(
            File.Exists(journal) ? File.ReadAllLines(journal) : [],
            milliseconds => clock!.Now = DateTimeOffset.FromUnixTimeMilliseconds(milliseconds), plan.IsEachDurable);
        using var file = new FileStream(journal, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
        if (file.Position > 0) file.Write("\n"u8); // the last line may have been cut off
        history.Journal = line => file.Write(Encoding.UTF8.GetBytes(line + "\n"));
        var counters = new SwarmTally { Known = SwarmCommand.KnownOf(arguments) };
        using var medium = new SwarmFolder(StoreOf(arguments[3]), stays: true);
        Console.WriteLine(Begun);
        var run = new SwarmRun(plan, medium, history, clock, counters);
        SwarmViolation? violation = await SwarmCommand
            .TryAsync(() => run.LiveAsync(life)).ConfigureAwait(false);
        Console.WriteLine(violation is null ? Done : $"{violation.Fault}|{violation}");
        Console.WriteLine(counters.Numbers());
        return violation is null ? 0 : 1;
    }

    private static string JournalOf(string folder) => Path.Combine(folder, "journal");

    private static string StoreOf(string folder) => Path.Combine(folder, "store");

    private static async Task LiveAsync(SwarmPlan plan, string folder, int life, int milliseconds, SwarmTally counters)
    {
        // Under the `dotnet` command the program is a library; published it is a program of its own.
        string program = Environment.ProcessPath!;
        string[] words = Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? ["exec", Path.Combine(AppContext.BaseDirectory, "Faster.Crash.Child.dll")]
            : [];
        string[] arguments =
        [
            .. words, Name, plan.Seed.ToString(CultureInfo.InvariantCulture),
            life.ToString(CultureInfo.InvariantCulture), folder, SwarmCommand.Known, string.Join(',', counters.Known),
        ];
        using Process process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
            Environment = { ["DOTNET_EnableDiagnostics"] = "0" }, // its pipes would outlive it
        })!;
        Task<string> output = process.StandardOutput.ReadToEndAsync(), errors = process.StandardError.ReadToEndAsync();
        bool isKilled = !process.WaitForExit(milliseconds);
        if (isKilled)
        {
            process.Kill();
            counters.Add(SwarmCount.Kills);
        }

        await process.WaitForExitAsync().ConfigureAwait(false);
        string[] told = (await output.ConfigureAwait(false)).Split('\n');
        string? verdict = told.ElementAtOrDefault(1);
        if (told.ElementAtOrDefault(2) is { Length: > 0 } numbers && verdict == Done) counters.Add(numbers);
        // It may be killed after it has reported success and before it has ended.
        bool isWell = verdict == Done
            ? isKilled || process.ExitCode == 0
            : isKilled && milliseconds < StallTimeout && string.IsNullOrEmpty(verdict);
        if (isWell) return;
        int at = verdict?.IndexOf('|', StringComparison.Ordinal) ?? -1;
        throw new SwarmViolation(
            at > 0 ? Enum.Parse<SwarmFault>(verdict!.AsSpan(0, at)) : SwarmFault.Hang,
            $"life {life}, kept in {folder}: {string.Join('\n', told)} {await errors.ConfigureAwait(false)}");
    }
}
