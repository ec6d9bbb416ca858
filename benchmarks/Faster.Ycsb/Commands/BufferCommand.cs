using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command of the end-to-end experiment: clients with buffers (paper 004, Fig. 11).</summary>
internal static class BufferCommand
{
    private const int MinEntries = 16;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 10);
        var sizes = new ListOption<int>(
            "--sizes", "The size of each client's buffer; an operation takes 16 bytes of it.",
            "32KB,128KB,512KB,2MB,8MB,32MB", ByteCount.TryParse, "sizes such as 32KB or 2MB, up to 1GB");
        Option<int> clients = Options.Number("--clients", "How many clients there are, a thread each.", 2, 1, 256);
        ListOption<Mix> mixes = DriverOptions.Mixes(Mix.Even.Name);
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform,zipf");
        ListOption<EngineEntry> engines = DriverOptions.Engines("faster");
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("buffer", "Clients that keep what is not durable in a buffer, and commit to trim it.")
        {
            keys, seconds, sizes, clients, mixes, distributions, engines, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            Check(sizes.ValuesOf(parsed), mixes.ValuesOf(parsed), engines.ValuesOf(parsed));
            (EngineEntry Engine, StepSettings Settings)[] turns =
            [
                .. from size in sizes.ValuesOf(parsed)
                   from mix in mixes.ValuesOf(parsed)
                   from distribution in distributions.ValuesOf(parsed)
                   from engine in engines.ValuesOf(parsed)
                   select (engine, new StepSettings
                   {
                       Keys = parsed.GetValue(keys), Threads = parsed.GetValue(clients), Workload = mix.Name,
                       Distribution = distribution, Form = CommitForm.FoldOver, Seconds = parsed.GetValue(seconds),
                       BufferBytes = size,
                   }),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<BufferResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            await output.WriteAsync(parsed, BufferTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static void Check(int[] sizes, Mix[] mixes, EngineEntry[] engines)
    {
        if (sizes.Min() < MinEntries * BufferedClient.EntryBytes)
            throw new UsageException($"--sizes: a buffer needs room for {MinEntries} operations of 16 bytes.");
        if (mixes.Any(m => m.IsRmw))
            throw new UsageException("--mixes: clients issue reads and blind updates, such as 50:50, not rmw.");
        if (engines.FirstOrDefault(e => !e.TellsClients) is { } engine)
            throw new UsageException($"--engines: the sessions of {engine.Name} are not told what is durable here.");
    }

    private static async Task<List<BufferResult>> RunAsync(
        (EngineEntry Engine, StepSettings Settings)[] turns, string? data, Progress progress,
        CancellationToken cancellationToken)
    {
        var measured = new List<BufferResult>();
        foreach ((EngineEntry engine, StepSettings s) in turns)
        {
            string step = $"{Figures.Bytes(s.BufferBytes)}, {s.Workload} {EnumNames.Of(s.Distribution)}";
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            BufferResult result = await StepRunner.RunAsync<BufferResult>(
                StepKind.Buffer, engine, folder, s, cancellationToken);
            measured.Add(result);
            progress.End(
                step, $"{Figures.Text(result.OperationsPerSecond * Figures.PerMillion, 2)} M/s, a commit every "
                + Figures.Time(result.IntervalSeconds));
        }

        return measured;
    }
}
