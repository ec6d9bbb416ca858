using Faster.Crash.Disk;
using Faster.Devices.Folders;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// Runs over the device and the folder that ship instead of the crash disk's: what they write and sync, and in which
/// order, is recorded and crashed.
/// </summary>
public sealed class ShippedDeviceTests(ITestOutputHelper output)
{
    private const int States = 100, StatesWithoutSync = 400, Seeds = 24, Runs = 4;

    [Theory]
    [InlineData("fold-over")]
    [InlineData("mixed-bytes")]
    [InlineData("spilling")]
    public async Task A_power_cut_loses_nothing_that_the_device_was_asked_to_keep(string name)
    {
        RunKind kind = RunKinds.Of(name, TestSeed.First);
        CrashDisk run = await RecordAsync(kind, omits: null);
        var laboratory = new CrashLaboratory(kind, output);
        await laboratory.CrashEverywhereAsync(run, Seeds, TestBudget.Times(States));
        Assert.True(laboratory.Violations.Count == 0, string.Join('\n', laboratory.Violations));
        Assert.True(laboratory.States > 25, $"{laboratory.States} states show little.");
    }

    [Fact]
    public async Task A_file_that_the_device_does_not_sync_is_missed()
    {
        string log = CrashFolder.PathOf(CrashLog.Prefix);
        foreach (int seed in Enumerable.Range(TestSeed.First, Runs))
        {
            RunKind kind = RunKinds.Of("fold-over", seed);
            CrashDisk run = await RecordAsync(
                kind, (call, path) => call == DiskCall.Sync && path.StartsWith(log, StringComparison.Ordinal));
            Assert.True(run.Omitted > 0, "The device makes no such sync: the test shows nothing.");
            var laboratory = new CrashLaboratory(kind, output) { KeepsTraces = false };
            await laboratory.CrashEverywhereAsync(run, Seeds, StatesWithoutSync);
            if (laboratory.Violations.Count == 0) continue;
            output.WriteLine(laboratory.Violations[0]);
            return;
        }

        Assert.Fail("Nobody misses the sync of the log's files.");
    }

    private static async Task<CrashDisk> RecordAsync(RunKind kind, Func<DiskCall, string, bool>? omits)
    {
        string folder = Path.Combine(AppContext.BaseDirectory, $"device-{kind.Name}-{Guid.NewGuid():N}");
        CrashDisk run = await RecordedRun.RecordAsync(
            kind, omits,
            disk => FolderFiles.OpenFolder(
                folder, unbuffered: false, new RecordingCalls(disk, folder), IOMode.RandomAccess));
        Directory.Delete(folder, recursive: true);
        return run;
    }
}
