using System.Globalization;
using Faster;
using Faster.Crash.Engine;
using Faster.Crash.Leases;
using Faster.Crash.Late;
using Faster.Crash.Ledgers;
using Faster.Crash.Locks;
using Faster.Crash.Swarm;
using Faster.Crash.Workloads;

// The process that is killed: opens a store, prints what it has recovered, works and commits, and prints after each
// commit what is durable, until it is killed. Arguments: folder, seed of the plan, seed of this life, rounds; and the
// one feature that runs beside it, if any. Or `swarm` and its own arguments: random stores, judged by this process
// itself (docs/testing/swarm.md). Or `lock` and its own: a store that two processes try to open.
if (args[0] == SwarmCommand.Name) return await SwarmCommand.MainAsync(args);
if (args[0] == SwarmProcess.Name) return await SwarmProcess.MainAsync(args);
Stream output = Console.OpenStandardOutput();
if (args[0] == LockHolder.Name) return await LockHolder.MainAsync(args, Tell);
string folder = args[0];
int planSeed = int.Parse(args[1], CultureInfo.InvariantCulture);
int lifeSeed = int.Parse(args[2], CultureInfo.InvariantCulture);
int commits = int.Parse(args[3], CultureInfo.InvariantCulture);

string? feature = args.ElementAtOrDefault(4);
if (Enum.TryParse(feature, out LedgerFeature beside))
{
    var ledger = new LedgerPlan(beside, planSeed);
    await LedgerLife.GoAsync(folder, ledger, lifeSeed, commits, Tell);
    Tell("done");
    Console.Read(); // to be killed
    return 0;
}

if (feature == LeasePlan.Feature)
{
    await LeaseLife.GoAsync(folder, new LeasePlan(planSeed), lifeSeed, commits, Tell);
    Tell("done");
    Console.Read(); // to be killed
    return 0;
}

if (feature == LateWrites.Feature)
{
    object kept = LateWrites.Submit(folder, (byte)lifeSeed);
    Tell("done");
    Console.Read(); // to be killed
    GC.KeepAlive(kept);
    return 0;
}

KilledStore kind = KilledStore.Of(planSeed, feature);
var random = new Random(lifeSeed);
Tell("begun");
await using IWorkStore store = await kind.OpenAsync(folder);
SessionPoint[] recovered = SessionPoint.AllOf(store.Recovered ?? [], kind.Plan.Sessions);
TellPoints("recovered", recovered);
WorkloadPlan plan = kind.Plan.TurnAt(recovered, lifeSeed);
CommitSchedule schedule = kind.Schedule with
{
    Commits = commits,
    Rounds = random.Next(20, 80),
    RoundsMeanwhile = random.Next(5, 20),
};
if (feature is null)
{
    schedule = schedule with
    {
        GrowBefore = [random.Next(1, 4), random.Next(4, 9)],
        ShrinkBefore = [random.Next(1, 4), random.Next(2, 9), random.Next(4, 9)],
    };
}

store.Committed += commit =>
    TellPoints("committed", SessionPoint.AllOf(commit.Points, kind.Plan.Sessions)); // also for periodic commits
var run = new WorkloadRun(plan, schedule, store, points =>
{
    if (plan.IsEachDurable) TellPoints("acknowledged", points);
})
{
    RepeatsExcluded = false, // their steps are of earlier lives, whose seeds this one does not know
};
await run.GoAsync();
Tell("done");
Console.Read(); // to be killed
return 0;

void TellPoints(string what, SessionPoint[] points) => Tell($"{what} {SessionPoint.Format(points)}");

void Tell(string line)
{
    // A thread of the store reports commits. One write per line: a reported line is in the pipe even if this process is
    // killed.
    output.Write(System.Text.Encoding.ASCII.GetBytes(line + "\n"));
    output.Flush();
}
