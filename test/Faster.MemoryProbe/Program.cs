using System.Globalization;
using Faster.MemoryProbe;
using Faster.MemoryProbe.Bounds;
using Faster.MemoryProbe.Overlap;

return args switch
{
    ["budget", var kind, var megabytes, var times, var folder] =>
        await Probes.BudgetAsync(kind, int.Parse(megabytes), int.Parse(times), folder),
    ["sessions", var rounds, var folder] => await Probes.SessionsAsync(int.Parse(rounds), folder),
    ["stores", var rounds, var folder] => await Probes.StoresAsync(int.Parse(rounds), folder),
    ["full", var rounds, var folder] => await Probes.FullAsync(int.Parse(rounds), folder),
    ["pending", var form, var sessions, var reads, var bytes, var folder] =>
        await PendingProbe.RunAsync(form, int.Parse(sessions), int.Parse(reads), int.Parse(bytes), folder),
    ["soak", var rounds, var leaking, var folder] =>
        await SoakProbe.RunAsync(int.Parse(rounds), int.Parse(leaking), folder),
    ["rings", var rounds, var folder] => Probes.Rings(int.Parse(rounds), folder),
    ["ring", var rounds, _] => await RingProbe.RunAsync(int.Parse(rounds)),
    ["blocked-pool", var engine, var folder] => BlockedPool.Run(engine, folder),
    ["overlap", var engine, var form, var calls, var folder] =>
        await OverlapProbe.RunAsync(engine, form, int.Parse(calls), folder),
    ["bystander", var engine, var pairs, var folder] =>
        await BystanderProbe.RunAsync(engine, int.Parse(pairs), folder),
    ["hold", var folder] => await Probes.HoldAsync(folder),
    ["bounds", var engine, var load, var memory, var disk, var times, var overrun, var folder] =>
        await BoundsProbe.RunAsync(
            engine, Enum.Parse<LoadKind>(load), int.Parse(memory), int.Parse(disk),
            double.Parse(times, CultureInfo.InvariantCulture), int.Parse(overrun), folder),
    ["bounds", var memory, var disk, var times, var folder] =>
        await BoundsTable.RunAsync(memory, disk, times, folder),
    _ => Probes.Usage(),
};
