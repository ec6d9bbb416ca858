using System.CommandLine;
using System.Text.Json;
using Faster.Peer;
using Faster.Workload;
using Faster.Workload.Experiments;

Option<int> keys = Options.Keys(1_000_000);
Option<int> threads = Options.Number("--threads", "How many threads work.", 1, 1, 256);
Option<double> seconds = Options.Seconds("--seconds", "How long to measure, after a second of warm-up.", 2);
Option<OperationKind> workload = new("--workload") { Description = "The operation.", Required = true };
Option<KeyDistribution> distribution = new("--distribution") { Description = "How keys are drawn." };
Option<bool> safe = new("--safe") { Description = "As it comes: record locks, epoch by every call (the default)." };
Option<bool> best = new("--best") { Description = "No locks, struct functions, unsafe context." };

var command = new RootCommand("Measures the throughput of FASTER C# 2.6.5 in memory; prints one line of JSON.")
{
    keys, threads, seconds, workload, distribution, safe, best,
    StepCommand.Create([new PeerCommitSource(PeerMode.Best), new PeerCommitSource(PeerMode.Safe)]),
};
command.Validators.Add(result =>
{
    if (result.GetValue(safe) && result.GetValue(best))
        result.AddError("Give --safe or --best, not both.");
});
command.SetAction(async (parsed, _) =>
{
    var settings = new RunSettings(
        parsed.GetValue(workload), parsed.GetValue(distribution), parsed.GetValue(keys), parsed.GetValue(threads),
        parsed.GetValue(seconds));
    await using var engine = new PeerEngine(parsed.GetValue(best) ? PeerMode.Best : PeerMode.Safe, settings.Keys);
    Measurement measurement = ThroughputRun.Run(engine, settings);
    Console.WriteLine(JsonSerializer.Serialize(measurement, MeasurementJson.Default.Measurement));
});
return await command.Parse(args).InvokeAsync();
