using System.Diagnostics;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;

namespace Faster.Crash.Faults;

/// <summary>
/// A workload on a disk that fails: whatever fails must end in a typed error within a second, and what is acknowledged
/// nevertheless must survive a power cut.
/// </summary>
/// <param name="kind">What is run.</param>
/// <param name="disk">The disk, with a fault armed.</param>
/// <param name="rounds">How many steps each session does.</param>
internal sealed class FaultyRun(RunKind kind, CrashDisk disk, int rounds = FaultyRun.FewRounds)
{
    /// <summary>The promised limit of a call, also of one that fails.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    private const int FewRounds = 60, RoundsOfACommit = 15, MendAfter = 3, MaxTries = 12;

    private static readonly TimeSpan Stall = TimeSpan.FromMilliseconds(150); // of 30 s, which tests can't wait for

    private readonly long[] _numbers = new long[kind.Plan.Sessions];
    private readonly HashSet<(int, long)> _failed = [];
    private readonly AcknowledgedSteps[] _steps = [.. Enumerable.Range(0, kind.Plan.Sessions)
        .Select(s => new AcknowledgedSteps(kind.Plan, s, SessionPoint.None))];

    private readonly LostTime _lost = new();

    /// <summary>The plan of such a run: two sessions, and no batches under one number.</summary>
    public static WorkloadPlan PlanOf(int seed) =>
        new() { Seed = seed, Sessions = 2, OwnKeys = 60, SharedKeys = 20, HasUnits = false };

    /// <summary>What was done: the plan without the operations that failed after they had been accepted.</summary>
    public RunKind Done => kind with { Plan = kind.Plan with { Failed = _failed } };

    /// <summary>How many calls threw.</summary>
    public int Failures { get; private set; }

    /// <summary>How many of these said that operation logs are full, and named what keeps a commit from it.</summary>
    public int FullLogs { get; private set; }

    /// <summary>How often the store has compacted its log.</summary>
    public long Compactions { get; private set; }

    /// <summary>The version of the last commit.</summary>
    public long Commits { get; private set; }

    /// <summary>How long the slowest call took, of the time that the machine gave.</summary>
    public TimeSpan Slowest { get; private set; }

    /// <summary>Whether a sync has failed: nothing may be acknowledged from then on.</summary>
    public bool IsPoisoned { get; private set; }

    /// <summary>
    /// Opens, works, commits; a permanent fault is repaired after a few failures, and a failed commit is retried. A
    /// poisoned store refuses all commits, and the run ends.
    /// </summary>
    public async Task GoAsync()
    {
        IWorkStore? store = null;
        await TryAsync(async () => store = await kind.OpenAsync(disk), isCommit: false);
        await using (store)
        {
            // A commit that fails may leave the logs full.
            if (kind.Plan.IsEachDurable) RunKind.CoreOf(store!).StallLimit = Stall;
            IWorkSession[] sessions =
                [.. Enumerable.Range(0, kind.Plan.Sessions).Select(s => store!.Start(WorkloadPlan.NameOf(s)))];
            for (int round = 1; round <= rounds && !IsPoisoned; round++)
            {
                foreach ((int s, IWorkSession session) in sessions.Index()) await StepAsync(s, session);
                if (round % RoundsOfACommit != 0 || kind.Schedule.Commits == 0) continue;
                CommitKind commit = kind.Schedule.Kinds[round / RoundsOfACommit % kind.Schedule.Kinds.Count];
                await BesideAsync(store!, round / RoundsOfACommit);
                await TryAsync(() => CommitAsync(store!, commit, withIndex: round % 2 == 0), isCommit: true);
            }

            disk.Arm(null);
            disk.Capacity = long.MaxValue;
            if (IsPoisoned) await MustFailAsync(store!);
            else await CommitAsync(store!, CommitKind.FoldOver, withIndex: true);
            Compactions = store switch
            {
                FasterWorkStore one => one.Store.Statistics.Compactions,
                TieredWorkStore two => two.Moved,
                _ => 0,
            };
            Commits = RunKind.CoreOf(store!).Coordinator!.LastVersion ?? 0;
            foreach (IWorkSession session in sessions) session.Dispose();
        }
    }

    private async Task BesideAsync(IWorkStore store, int commit)
    {
        CommitSchedule schedule = kind.Schedule;
        if (schedule.GrowBefore.Contains(commit)) await TryAsync(store.GrowAsync, isCommit: false);
        if (schedule.ShrinkBefore.Contains(commit)) await TryAsync(store.ShrinkAsync, isCommit: false);
        bool compacts = schedule.CompactEvery != 0 && commit % schedule.CompactEvery == 0;
        if (compacts) await TryAsync(store.CompactAsync, isCommit: false);
    }

    private async Task StepAsync(int index, IWorkSession session)
    {
        Step step = kind.Plan.StepOf(index, _numbers[index] + 1);
        bool isDone = await TryAsync(
            () =>
            {
                if (!session.Do(step)) session.CompletePending();
                return Task.CompletedTask;
            },
            isCommit: false, isAccepted: () => session.SerialNumber >= step.Number);
        if (IsPoisoned) return;
        if (!isDone) _failed.Add((index, step.Number));
        if (kind.Plan.IsEachDurable) Note(index, isDone ? step : step with { Kind = StepKind.Read });
        if (session.SerialNumber != step.Number)
            throw new InvalidOperationException($"Step {step.Number} got the number {session.SerialNumber}.");
        _numbers[index] = step.Number;
    }

    // One that has failed has a number and no effect, as a read.
    private void Note(int index, Step step)
    {
        _steps[index].Add(step, isDone: true);
        RecordedRun.Note(disk, _steps[index].ToPoints());
    }

    private async Task CommitAsync(IWorkStore store, CommitKind commit, bool withIndex)
    {
        IReadOnlyList<CommitPoint> told = await store.CommitAsync(commit, withIndex);
        SessionPoint[] points = SessionPoint.AllOf(told, kind.Plan.Sessions);
        Assert.False(IsPoisoned, "A commit was acknowledged after a failed sync.");
        for (int s = 0; s < points.Length; s++) Assert.Equal(_numbers[s], points[s].Serial);
        RecordedRun.Note(disk, points);
    }

    private async Task MustFailAsync(IWorkStore store)
    {
        foreach (CommitKind commit in Enum.GetValues<CommitKind>())
        {
            var error = await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync(commit, withIndex: false));
            Assert.False(error.MayRetry);
        }

        Assert.Equal(0, disk.SyncsAfterFailure);
    }

    private async Task<bool> TryAsync(Func<Task> call, bool isCommit, Func<bool>? isAccepted = null)
    {
        for (int tries = 1; ; tries++)
        {
            try
            {
                await Task.Run(() => MeasuredAsync(call)).WaitAsync(TimeSpan.FromMinutes(1));
                return true;
            }
            catch (FasterException e)
            {
                Failures++;
                FullLogs += e is LimitExceededException { InnerException: StorageException } ? 1 : 0;
                bool isFinal = e is StorageException { MayRetry: false }; // also where the store commits by itself
                IsPoisoned |= disk.HasSyncFailed && (isCommit || isFinal);
                IsPoisoned |= isFinal && kind.Plan.IsEachDurable; // a failed write of the logs is as final
                if (IsPoisoned) return false;
                Assert.True(tries < MaxTries, $"Still fails after {tries} tries: {e}");
                if (Failures == MendAfter)
                {
                    disk.Arm(null);
                    disk.Capacity = long.MaxValue;
                }

                if (isAccepted?.Invoke() == true) return false;
            }
        }
    }

    // Begins and ends on the calling thread: the pool may take a while to provide one.
    private async Task MeasuredAsync(Func<Task> call)
    {
        long start = Stopwatch.GetTimestamp();
        try
        {
            await call();
        }
        finally
        {
            TimeSpan took = _lost.Taken(start, Limit);
            if (took > Slowest) Slowest = took;
        }
    }
}
