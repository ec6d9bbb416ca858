using System.Globalization;
using Bank.Lives;
using Bank.Report;

namespace Bank.Commands;

/// <summary>
/// One run: starts a process that transfers money, kills it, checks what is left, and starts the next one.
/// </summary>
internal static class BankRun
{
    /// <summary>Runs.</summary>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(BankOptions options, Terminal terminal, CancellationToken cancellation)
    {
        string folder = options.DataFolder is { } named
            ? Use(named)
            : Directory.CreateTempSubdirectory("bank-").FullName;
        try
        {
            Outcome outcome = await LiveAsync(options, folder, terminal, cancellation);
            if (options.Json) await terminal.Output.WriteLineAsync(outcome.ToJson());
            else await terminal.Output.WriteAsync(outcome.Picture);
            await (options.Json ? terminal.Error : terminal.Output).WriteLineAsync(outcome.Summary());
            return outcome.Wrong.Count == 0 ? ExitCode.Ok : ExitCode.Different;
        }
        finally
        {
            if (options.DataFolder is null) Directory.Delete(folder, recursive: true);
        }
    }

    private static string Use(string folder)
    {
        if (Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any())
            throw new InputException($"--data '{folder}' is not empty: name a new or empty folder.");
        return Directory.CreateDirectory(folder).FullName;
    }

    private static async Task<Outcome> LiveAsync(
        BankOptions options, string folder, Terminal terminal, CancellationToken cancellation)
    {
        Random random = new(options.Seed);
        Notes notes = new(options);
        Auditor auditor = new(options, folder);
        List<string> wrong = [];
        long taken = 0; // transfers that had returned, but were not promised, and that a kill has undone
        for (bool isLast = false; !isLast && wrong.Count == 0;)
        {
            TimeSpan left = options.Duration - notes.Lived;
            TimeSpan? death = options.KillEvery * (0.5 + random.NextDouble());
            isLast = death is null || death >= left;
            using LifeProcess life = LifeProcess.Start(options, folder, left, notes);
            Task living = isLast
                ? life.Ended.WaitAsync(cancellation)
                : Task.WhenAny(life.Ended, Task.Delay(death!.Value, cancellation));
            await StatusLine.WatchAsync(terminal, living, _ => Line(notes));
            cancellation.ThrowIfCancellationRequested();
            life.Kill();
            if (await life.Ended is { } error) wrong.Add(error);
            wrong.AddRange(await auditor.CheckAsync(notes.Promised, cancellation));
            taken += Math.Max(notes.Acknowledged.Sum() - auditor.Held.Sum(), 0);
        }

        return new Outcome(options, notes, auditor.Held.Sum(), taken, wrong);
    }

    private static string Line(Notes notes) => string.Create(
        CultureInfo.InvariantCulture,
        $"Transferring: {notes.Lived.TotalSeconds:0} s, {notes.Transfers:N0} transfers, ")
        + $"{notes.Commits.Count} commits, {notes.Kills.Count} kills";
}
