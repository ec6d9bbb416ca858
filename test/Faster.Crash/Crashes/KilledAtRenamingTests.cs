using Faster.Checkpoints.Files;
using Faster.Crash.Disk;

namespace Faster.Crash.Crashes;

/// <summary>
/// A process is killed when a commit's record has its name and the name is not synced yet. The next process finds the
/// commit; a power cut during that recovery may take the name back, and must leave the commit before as it was.
/// </summary>
public sealed class KilledAtRenamingTests
{
    private const int Cuts = 24;

    [Theory]
    [InlineData("fold-over")]
    [InlineData("transactional")]
    public async Task A_name_that_is_not_durable_costs_no_commit_before_it(string name)
    {
        RunKind kind = RunKinds.Of(name, TestSeed.First);
        CrashDisk run = await RecordedRun.RecordAsync(kind);
        var judge = new CrashJudge(kind);
        int renamed = 0;
        for (int i = 0; i < run.Events.Count; i++)
        {
            DiskEvent one = run.Events[i];
            if (one.Kind != DiskEventKind.Renamed || !StoreFileNames.IsCommit(one.NewName, out _)) continue;
            renamed++;
            for (int seed = 0; seed < Cuts; seed++)
            {
                string? wrong = await judge.RecoverKilledAsync(run, i + 1, (i * Cuts) + seed);
                Assert.True(wrong is null, wrong);
            }
        }

        Assert.True(renamed > 2, $"{renamed} commits: none has two before it.");
    }
}
