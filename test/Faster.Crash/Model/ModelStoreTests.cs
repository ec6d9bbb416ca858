using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Workloads;
using Faster.Devices.Folders;
using Xunit.Abstractions;

namespace Faster.Crash.Model;

/// <summary>The laboratory passes a correct store, and finds every fault seeded in it.</summary>
public sealed class ModelStoreTests(ITestOutputHelper output)
{
    private const int Seeds = 40;

    public static TheoryData<string> Faults => [.. Enum.GetNames<ModelFault>().Where(n => n != "None")];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_store_that_is_right_survives_every_crash(bool bytes)
    {
        CrashLaboratory laboratory = await TryAsync(ModelFault.None, bytes, seed: 1);
        Assert.Empty(laboratory.Violations);
        Assert.True(laboratory.States > 50, $"{laboratory.States} states show little.");
    }

    [Theory, MemberData(nameof(Faults))]
    public async Task Every_seeded_fault_is_found(string fault)
    {
        for (int seed = 1; seed <= 5; seed++)
        {
            CrashLaboratory laboratory = await TryAsync(Enum.Parse<ModelFault>(fault), bytes: seed % 2 == 0, seed);
            if (laboratory.Violations.Count == 0) continue;
            output.WriteLine(laboratory.Violations[0]);
            return;
        }

        Assert.Fail($"{fault} was not found.");
    }

    private async Task<CrashLaboratory> TryAsync(ModelFault fault, bool bytes, int seed)
    {
        var plan = new WorkloadPlan { Seed = seed, Bytes = bytes };
        var kind = new RunKind(
            $"model-{fault}", plan, new CommitSchedule { Commits = 5, Rounds = 12, RoundsMeanwhile = 5 },
            files => Task.FromResult<IWorkStore>(Open(files, plan, fault)));
        var laboratory = new CrashLaboratory(kind, output) { KeepsTraces = false };
        CrashDisk run = await RecordedRun.RecordAsync(kind);
        await laboratory.CrashEverywhereAsync(run, Seeds);
        return laboratory;
    }

    private static ModelStore Open(StoreFiles files, WorkloadPlan plan, ModelFault fault)
    {
        if (fault == ModelFault.SyncRetried) ((CrashFolder)files).Disk.Arm(new DiskFault(DiskCall.Sync, 3));
        return new ModelStore(files, plan, fault);
    }
}
