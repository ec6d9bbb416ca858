using System.Diagnostics;
using CountStore.Counting;
using CountStore.Input;
using CountStore.Report;

namespace CountStore.Commands;

/// <summary>One run: counts in the store, looks through it, verifies where asked to, and reports.</summary>
internal static class CountRun
{
    /// <summary>Runs.</summary>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(CountOptions options, Terminal terminal, CancellationToken cancellation)
    {
        using IInput input = OpenInput(options);
        using DataFolder folder = DataFolder.Open(options.DataFolder);
        await using ICounter counter = await CounterFactory.OpenAsync(folder.Path, input.Format, options, cancellation);
        Outcome outcome = await CountAsync(input, counter, options, terminal, cancellation);
        if (options.Verify)
        {
            outcome = outcome with
            {
                Verification = await VerifyAsync(counter, options, terminal, cancellation),
            };
        }

        if (options.Json) await terminal.Output.WriteLineAsync(JsonReport.Write(outcome));
        else TextReport.Write(outcome, terminal.Output);
        await (options.Json ? terminal.Error : terminal.Output).WriteLineAsync(TextReport.Summary(outcome));
        return outcome.Verification is { Differences: > 0 } ? ExitCode.Different : ExitCode.Ok;
    }

    private static async Task<Outcome> CountAsync(
        IInput input, ICounter counter, CountOptions options, Terminal terminal, CancellationToken cancellation)
    {
        CountingPass pass = new(input, counter, options.Threads);
        var clock = Stopwatch.StartNew();
        Progress progress = new(terminal, "Counting", input, pass, counter);
        await progress.WatchAsync(pass.RunAsync(cancellation), CancellationToken.None);
        TimeSpan elapsed = clock.Elapsed;
        StoreUse use = counter.Use;
        return new Outcome
        {
            Options = options,
            InputName = input.Name,
            Format = input.Format,
            InputBytes = input.BytesParsed,
            KeysCounted = pass.KeysCounted,
            Elapsed = elapsed,
            Use = use,
            Findings = Findings.Gather(counter, input.Format, options.Top),
        };
    }

    private static async Task<Verification> VerifyAsync(
        ICounter counter, CountOptions options, Terminal terminal, CancellationToken cancellation)
    {
        using IInput input = OpenInput(options);
        await using DictionaryCounter expected = new();
        CountingPass pass = new(input, expected, threads: 1);
        Progress progress = new(terminal, "Counting again by a dictionary", input, pass, expected);
        await progress.WatchAsync(pass.RunAsync(cancellation), CancellationToken.None);
        return await Verification.CompareAsync(counter, expected, cancellation);
    }

    private static IInput OpenInput(CountOptions options) => options.InputPath is { } path
        ? new FileInput(path, options.Format)
        : SdkDocumentation.Open();
}
