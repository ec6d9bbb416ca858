using System.Diagnostics;
using CountStore.Counting;
using CountStore.Input;
using CountStore.Report;
using Faster;
using Faster.Contracts;

namespace CountStore.Commands;

/// <summary>One run: counts in the store, looks through it, verifies where asked to, and reports.</summary>
internal static class CountRun
{
    /// <summary>Runs.</summary>
    /// <returns>One of <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(CountOptions options, Terminal terminal, CancellationToken cancellation)
    {
        using IInput input = OpenInput(options);
        using DataFolder folder = DataFolder.Open(options, input);
        await using StoreCounter counter = await CounterFactory.OpenAsync(
            folder.Store, folder.Job.StoreEngine, input.Format, options, new RecoveryLine(terminal), cancellation);
        Outcome outcome = await CountAsync(input, folder, counter, options, terminal, cancellation);
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
        IInput input, DataFolder folder, StoreCounter counter, CountOptions options, Terminal terminal,
        CancellationToken cancellation)
    {
        int threads = folder.Job.Threads;
        CountingPass pass = folder.IsDurable
            ? CountingPass.InShares(input, counter, threads)
            : CountingPass.Freely(input, counter, threads);
        var clock = Stopwatch.StartNew();
        Progress progress = new(terminal, "Counting", input, pass, counter);
        try
        {
            await progress.WatchAsync(pass.RunAsync(cancellation));
            if (folder.IsDurable) await counter.CommitAsync(cancellation);
        }
        catch (Exception error) when (folder.IsDurable && error is not OperationCanceledException)
        {
            await CloseAfterFailureAsync(counter, folder, error);
            throw;
        }

        TimeSpan elapsed = clock.Elapsed;
        StoreUse use = counter.Use;
        return new Outcome
        {
            Options = options,
            Threads = threads,
            Engine = folder.Job.Engine,
            InputName = input.Name,
            Format = input.Format,
            InputBytes = input.BytesParsed,
            KeysCounted = pass.KeysCounted,
            Elapsed = elapsed,
            Use = use,
            Durability = folder.IsDurable ? CommittedPart.Of(counter, pass) : null,
            Findings = Findings.Gather(counter, input.Format, options.Top),
        };
    }

    // An update that failed while it waited for the disk keeps its place in its session: a later commit covers it,
    // and it would never be counted. Such a folder must not be resumed.
    private static async Task CloseAfterFailureAsync(StoreCounter counter, DataFolder folder, Exception error)
    {
        await counter.DisposeAsync();
        if (!counter.HasCommittedFailed) return;
        try
        {
            CountJob.MarkShort(folder.Path);
        }
        catch (Exception unmarked) when (unmarked is IOException or UnauthorizedAccessException)
        {
            throw new IOException(
                $"{error.Message} The counts in '{folder.Path}' are short, and it can't be noted there: "
                + $"{unmarked.Message} Remove the folder, and count from the start.", error);
        }
    }

    private static async Task<Verification> VerifyAsync(
        ICounter counter, CountOptions options, Terminal terminal, CancellationToken cancellation)
    {
        using IInput input = OpenInput(options);
        await using DictionaryCounter expected = new();
        CountingPass pass = CountingPass.Freely(input, expected, threads: 1);
        Progress progress = new(terminal, "Counting again by a dictionary", input, pass, expected);
        await progress.WatchAsync(pass.RunAsync(cancellation));
        return await Verification.CompareAsync(counter, expected, cancellation);
    }

    private static IInput OpenInput(CountOptions options) => options.InputPath is { } path
        ? new FileInput(path, options.Format)
        : SdkDocumentation.Open();
}
