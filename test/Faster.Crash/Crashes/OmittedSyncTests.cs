using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// The laboratory finds faults of the store itself: each sort of sync that the store makes is omitted in turn, and the
/// power cuts show that it is missing.
/// </summary>
public sealed class OmittedSyncTests(ITestOutputHelper output)
{
    private const int MaxRuns = 8, StatesOfARun = 600, Seeds = 40, SeedsOfAKill = 4;

    [Theory]
    [InlineData("fold-over", DiskCall.Sync, "log.")]
    [InlineData("fold-over", DiskCall.Sync, "commits")]
    [InlineData("fold-over", DiskCall.SyncNames, "")]
    [InlineData("spilling", DiskCall.SyncNames, "log.")]
    [InlineData("fold-over", DiskCall.Sync, "store.meta")]
    [InlineData("snapshot", DiskCall.Sync, "snapshot.")]
    [InlineData("snapshot", DiskCall.SyncNames, "")]
    [InlineData("mixed-bytes", DiskCall.Sync, "index.")]
    [InlineData("incremental", DiskCall.Sync, "snapshot.")]
    [InlineData("each-operation", DiskCall.Sync, "operations-")]
    [InlineData("transactional-each", DiskCall.Sync, "operations-")]
    [InlineData("tiered-apart", DiskCall.Sync, "far/cold.meta")]
    [InlineData("tiered-apart", DiskCall.Sync, "far/chunks.")]
    [InlineData("tiered-apart", DiskCall.SyncNames, "far")]
    public async Task A_sync_that_is_left_out_is_missed(string name, DiskCall call, string place)
    {
        Func<DiskCall, string, bool> omits = Omitting(call, place);
        foreach (int seed in Enumerable.Range(TestSeed.First, MaxRuns))
        {
            RunKind kind = RunKinds.Of(name, seed);
            CrashDisk run = await RecordedRun.RecordAsync(kind, omits);
            Assert.True(run.Omitted > 0, "The store makes no such sync: the test shows nothing.");
            var laboratory = new CrashLaboratory(kind, output) { KeepsTraces = false };
            await laboratory.CrashEverywhereAsync(run, Seeds, StatesOfARun);
            if (laboratory.Violations.Count == 0) continue;
            output.WriteLine(laboratory.Violations[0]);
            return;
        }

        Assert.Fail($"Nobody misses the {call} of '{place}'.");
    }

    /// <summary>
    /// A recovery sees what a killed process has written or renamed, and reports it to clients, before it is durable.
    /// </summary>
    [Theory]
    [InlineData(DiskCall.SyncNames, "")]
    [InlineData(DiskCall.Sync, "commits")]
    public async Task A_sync_that_recovery_leaves_out_is_missed(DiskCall call, string place)
    {
        foreach (int seed in Enumerable.Range(TestSeed.First, MaxRuns))
        {
            RunKind kind = RunKinds.Of("fold-over", seed);
            CrashDisk run = await RecordedRun.RecordAsync(kind);
            var judge = new CrashJudge(kind) { OmitsInRecovery = Omitting(call, place) };
            var wrong = new List<string?>();
            await Parallel.ForAsync(0, (run.Events.Count + 1) * SeedsOfAKill, async (i, _) =>
            {
                string? one = await judge.RecoverKilledAsync(run, i / SeedsOfAKill, i);
                lock (wrong) wrong.Add(one);
            });
            Assert.True(judge.Omitted > 0, "Recovery makes no such sync: the test shows nothing.");
            output.WriteLine($"{judge.Omitted} left out; {wrong.Find(static one => one is not null)}");
            if (wrong.Exists(static one => one?.Contains("was told", StringComparison.Ordinal) == true)) return;
        }

        Assert.Fail($"Nobody misses the {call} of '{place}' in recovery.");
    }

    private static Func<DiskCall, string, bool> Omitting(DiskCall call, string place)
    {
        string path = place.Length == 0 ? CrashFolder.Root : CrashFolder.PathOf(place);
        return (c, p) =>
            c == call && (place.Length == 0 ? p == path : p.StartsWith(path, StringComparison.Ordinal));
    }
}
