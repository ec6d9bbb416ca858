using Faster.Crash.Disk;

namespace Faster.Crash.Crashes;

/// <summary>
/// A process is killed when a commit's record is in its slot, once or twice, and not synced yet, or when the file of
/// records has its name and that is not synced. The next process finds the commit; a power cut during that recovery may
/// take it back, and must leave the commit before as it was.
/// </summary>
public sealed class KilledAtPublishingTests
{
    private const int Cuts = 24;

    [Theory]
    [InlineData("fold-over")]
    [InlineData("transactional")]
    public async Task A_record_that_is_not_durable_costs_no_commit_before_it(string name)
    {
        RunKind kind = RunKinds.Of(name, TestSeed.First);
        CrashDisk run = await RecordedRun.RecordAsync(kind);
        var judge = new CrashJudge(kind);
        int records = -1; // the file of records
        int renamed = 0, written = 0;
        HashSet<int> writes = [];
        for (int i = 0; i < run.Events.Count; i++)
        {
            DiskEvent one = run.Events[i];
            bool isName = one.Kind == DiskEventKind.Renamed && one.NewName == CommitsFile.Name;
            if (isName) (records, renamed) = (one.File, renamed + 1);
            if (one.Kind == DiskEventKind.WriteBegun && one.File == records) writes.Add(one.Write);
            bool isWritten = one.Kind == DiskEventKind.WriteDone && writes.Contains(one.Write);
            if (isWritten) written++;
            for (int seed = 0; seed < Cuts && (isName || isWritten); seed++)
            {
                string? wrong = await judge.RecoverKilledAsync(run, i + 1, (i * Cuts) + seed);
                Assert.True(wrong is null, wrong);
            }
        }

        Assert.True(renamed > 0 && written > 3, $"{renamed} files, {written} copies: none has two commits before it.");
    }
}
