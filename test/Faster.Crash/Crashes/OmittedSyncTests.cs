using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// The laboratory has teeth for the store itself: each sort of sync that the store makes is left out by turns, and the
/// power cuts show that it is missing.
/// </summary>
public sealed class OmittedSyncTests(ITestOutputHelper output)
{
    private const int MostRuns = 8, StatesOfARun = 600, Seeds = 40;

    [Theory]
    [InlineData("fold-over", DiskCall.Sync, "log.")]
    [InlineData("fold-over", DiskCall.Sync, "commit.")]
    [InlineData("fold-over", DiskCall.SyncNames, "")]
    [InlineData("snapshot", DiskCall.Sync, "snapshot.")]
    [InlineData("snapshot", DiskCall.SyncNames, "")]
    [InlineData("mixed-bytes", DiskCall.Sync, "index.")]
    [InlineData("incremental", DiskCall.Sync, "snapshot.")]
    public async Task A_sync_that_is_left_out_is_missed(string name, DiskCall call, string place)
    {
        string path = place.Length == 0 ? CrashFolder.Root : CrashFolder.PathOf(place);
        bool Omits(DiskCall c, string p) =>
            c == call && (place.Length == 0 ? p == path : p.StartsWith(path, StringComparison.Ordinal));
        for (int seed = 1; seed <= MostRuns; seed++)
        {
            RunKind kind = RunKinds.Of(name, seed);
            CrashDisk run = await RecordedRun.RecordAsync(kind, Omits);
            Assert.True(run.Omitted > 0, "The store makes no such sync: the test shows nothing.");
            var laboratory = new CrashLaboratory(kind, output) { KeepsTraces = false };
            await laboratory.CrashEverywhereAsync(run, Seeds, StatesOfARun);
            if (laboratory.Violations.Count == 0) continue;
            output.WriteLine(laboratory.Violations[0]);
            return;
        }

        Assert.Fail($"Nobody misses the {call} of '{place}'.");
    }
}
