using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// The store recovers from a power cut at every boundary of a run to an exact prefix of each session, at or beyond
/// everything that was acknowledged.
/// </summary>
public sealed class EveryBoundaryTests(ITestOutputHelper output)
{
    private const int StatesOfAKind = 100, Seeds = 24, Many = 60, Few = 15;

    public static TheoryData<string> Kinds => [.. RunKinds.Names];

    [Theory, MemberData(nameof(Kinds))]
    public async Task A_power_cut_at_every_boundary_loses_nothing_acknowledged(string name)
    {
        int wanted = TestBudget.Times(StatesOfAKind);
        long states = 0, recoveries = 0;
        for (int seed = 1; states < wanted; seed++)
        {
            RunKind kind = RunKinds.Of(name, seed);
            CrashDisk run = await RecordedRun.RecordAsync(kind);
            var laboratory = new CrashLaboratory(kind, output);
            int left = wanted - (int)states;
            await laboratory.CrashEverywhereAsync(run, Seeds, left);
            Assert.True(laboratory.Violations.Count == 0, string.Join('\n', laboratory.Violations));

            // Where only a few are left, chance decides how many of them a run gives, and there may be none.
            Assert.True(left < Many || laboratory.States > Few, "So few states show little.");
            Assert.True(seed <= wanted, "The runs give hardly any states.");
            int reads = run.Events.Count(e => e.Kind == DiskEventKind.Read);
            Assert.True(reads > 20 || !kind.Spills, $"The run has read {reads} times: it did not spill.");
            states += laboratory.States;
            recoveries += laboratory.Recoveries;
        }

        output.WriteLine($"{name}: {states} states, {recoveries} recoveries, 0 violations");
    }
}
