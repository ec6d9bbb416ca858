using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// The store recovers from a power cut at every boundary of a run to an exact prefix of each session, at or beyond
/// everything that was acknowledged.
/// </summary>
public sealed class EveryBoundaryTests(ITestOutputHelper output)
{
    private const int StatesOfAKind = 100, WholeRun = 250, Seeds = 24;

    public static TheoryData<string> Kinds => [.. RunKinds.Names];

    [Theory, MemberData(nameof(Kinds))]
    public async Task A_power_cut_at_every_boundary_loses_nothing_acknowledged(string name)
    {
        int wanted = TestBudget.Times(StatesOfAKind), first = TestSeed.First;
        long states = 0, recoveries = 0, covered = 0, boundaries = 0, scans = 0;
        for (int seed = first; states < wanted; seed++)
        {
            Assert.True(seed < first + wanted, "The runs give hardly any states.");
            RunKind kind = RunKinds.Of(name, seed);
            CrashDisk run = await RecordedRun.RecordAsync(kind);
            int all = CrashScan.BoundariesOf(run), left = wanted - (int)states;
            int most = all <= TestBudget.Times(WholeRun) ? Math.Max(left, all) : left;
            var laboratory = new CrashLaboratory(kind, output);
            await laboratory.CrashEverywhereAsync(run, Seeds, most);
            Assert.True(laboratory.Violations.Count == 0, string.Join('\n', laboratory.Violations));
            Assert.True(
                kind.ScansOneIn == 0 || laboratory.Scans > laboratory.States / kind.ScansOneIn / 2,
                $"{laboratory.Scans} scans as of commits: hardly any.");
            int reads = run.Events.Count(e => e.Kind == DiskEventKind.Read);
            Assert.True(reads > 20 || !kind.Spills, $"The run has read {reads} times: it did not spill.");

            // Every boundary; of the few longest runs, as many as there are states, spread over the run.
            Assert.Equal(Math.Min(all, most), laboratory.Covered);
            states += laboratory.States;
            recoveries += laboratory.Recoveries;
            scans += laboratory.Scans;
            covered += laboratory.Covered;
            boundaries += all;
            if (seed == first) Assert.True(states > Math.Min(all, most) / 4, $"{states} distinct states show little.");
        }

        output.WriteLine(
            $"{name}: power cut at {covered} of {boundaries} boundaries; {states} states, {recoveries} recoveries, "
            + $"{scans} scans as of commits, 0 violations");
    }
}
