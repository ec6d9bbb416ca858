namespace Faster.Crash.Workloads;

/// <summary>When a run commits, and how.</summary>
public sealed record CommitSchedule
{
    /// <summary>How many commits.</summary>
    public int Commits { get; init; } = 6;

    /// <summary>How many steps each session does from one commit to the next.</summary>
    public int Rounds { get; init; } = 20;

    /// <summary>How many of these it does while the commit is under way.</summary>
    public int RoundsMeanwhile { get; init; } = 10;

    /// <summary>The kinds, drawn for each commit.</summary>
    public IReadOnlyList<CommitKind> Kinds { get; init; } = [CommitKind.FoldOver];

    /// <summary>One commit in this many includes the index; 0: none.</summary>
    public int IndexEvery { get; init; } = 3;

    /// <summary>
    /// One commit in this many is requested together with two others of any kind and a checkpoint of the index alone;
    /// 0: none.
    /// </summary>
    public int BurstEvery { get; init; }

    /// <summary>Before which commits the index begins to grow, side by side with it.</summary>
    public IReadOnlyList<int> GrowBefore { get; init; } = [];

    /// <summary>Before which commits it begins to shrink; after growing, if it also grows before that commit.</summary>
    public IReadOnlyList<int> ShrinkBefore { get; init; } = [];

    /// <summary>A compaction begins beside one commit in this many; 0: none.</summary>
    public int CompactEvery { get; init; }
}

/// <summary>
/// Drives a workload: sessions on threads of their own, and commits meanwhile. Every acknowledgement is reported.
/// </summary>
/// <param name="plan">What the sessions do.</param>
/// <param name="schedule">When commits come.</param>
/// <param name="store">The store.</param>
/// <param name="acknowledged">
/// Called with the points of each commit when it is durable; if each operation is, also after each, with that of its
/// session alone.
/// </param>
public sealed class WorkloadRun(
    WorkloadPlan plan, CommitSchedule schedule, IWorkStore store, Action<SessionPoint[]> acknowledged)
{
    private readonly Lock _reporting = new();
    private readonly object _gate = new();
    private readonly int[] _rounds = new int[plan.Sessions];
    private readonly long[] _done = new long[plan.Sessions];
    private long _allowed;
    private Exception? _failure;

    /// <summary>
    /// Whether sessions begin with the operations that their points exclude; false: a later commit still excludes them.
    /// </summary>
    public bool RepeatsExcluded { get; init; } = true;

    /// <summary>The last serial number of each session.</summary>
    public IReadOnlyList<long> Done => _done;

    /// <summary>Runs all rounds and commits, from where the sessions stand.</summary>
    public async Task GoAsync()
    {
        var random = new Random(plan.Seed);
        Task[] clients = [.. Enumerable.Range(0, plan.Sessions).Select(StartClient)];
        try
        {
            for (int i = 1; i <= schedule.Commits; i++)
            {
                Allow((i * schedule.Rounds) - schedule.RoundsMeanwhile);
                await AllReachAsync((i * schedule.Rounds) - schedule.RoundsMeanwhile).ConfigureAwait(false);
                Allow(i * schedule.Rounds);
                CommitKind kind = schedule.Kinds[random.Next(schedule.Kinds.Count)];
                bool withIndex = schedule.IndexEvery != 0 && random.Next(schedule.IndexEvery) == 0;
                Task growth = schedule.GrowBefore.Contains(i) ? store.GrowAsync() : Task.CompletedTask;
                Task shrinking = schedule.ShrinkBefore.Contains(i) ? store.ShrinkAsync() : Task.CompletedTask;
                bool compacts = schedule.CompactEvery != 0 && i % schedule.CompactEvery == 0;
                Task compaction = compacts ? store.CompactAsync() : Task.CompletedTask;
                bool isBurst = schedule.BurstEvery != 0 && random.Next(schedule.BurstEvery) == 0;
                await Task.WhenAll([
                    CommitAsync(kind, withIndex), .. isBurst ? Burst(random) : []]).ConfigureAwait(false);
                await Task.WhenAll(growth, shrinking, compaction).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            Fail(e);
            throw;
        }
        finally
        {
            Allow(schedule.Commits * schedule.Rounds);
            await Task.WhenAll(clients).ConfigureAwait(false);
        }
    }

    private List<Task> Burst(Random random) =>
    [
        CommitAsync(schedule.Kinds[random.Next(schedule.Kinds.Count)], withIndex: false),
        store.CheckpointIndexAsync(),
        CommitAsync(schedule.Kinds[random.Next(schedule.Kinds.Count)], withIndex: random.Next(2) == 0),
    ];

    private async Task CommitAsync(CommitKind kind, bool withIndex)
    {
        IReadOnlyList<CommitPoint> points = await store.CommitAsync(kind, withIndex).ConfigureAwait(false);
        lock (_reporting) acknowledged(SessionPoint.AllOf(points, plan.Sessions));
    }

    private Task StartClient(int session) => Task.Factory.StartNew(
        () => RunClient(session), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void RunClient(int index)
    {
        try
        {
            var random = new Random((plan.Seed * 31) + index);
            IWorkSession session = store.Start(WorkloadPlan.NameOf(index));
            try
            {
                var steps = new AcknowledgedSteps(plan, index, Repeat(index, session));
                Report(steps);
                session = RunRounds(index, session, random, steps);
            }
            finally
            {
                session.Dispose();
            }
        }
        catch (Exception e)
        {
            Fail(e);
            throw;
        }
    }

    // Issues again what a crash has taken from between operations that are there.
    private SessionPoint Repeat(int index, IWorkSession session)
    {
        SessionPoint point = session.Recovered;
        if (!RepeatsExcluded) return point;
        foreach (long missing in point.Excluded)
        {
            session.SetNext(missing);
            if (!session.Do(plan.StepOf(index, missing))) session.CompletePending();
        }

        return point with { Excluded = [.. point.Excluded.Where(n => plan.StepOf(index, n).Kind == StepKind.Read)] };
    }

    private IWorkSession RunRounds(int index, IWorkSession session, Random random, AcknowledgedSteps steps)
    {
        HashSet<int> pending = [];
        for (int round = 1; round <= schedule.Commits * schedule.Rounds && WaitUntilAllowed(round); round++)
        {
            Step step = plan.StepOf(index, session.SerialNumber + 1);
            // Two operations of one session on one key, of which the first waits for the disk, have no order.
            if (pending.Overlaps(step.Keys) || random.Next(8) == 0) Complete(session, pending, steps);
            bool isDone = session.Do(step);
            steps.Add(step, isDone);
            if (isDone) Report(steps);
            else pending.Add(step.Key);
            if (session.SerialNumber != step.Number)
                throw new InvalidOperationException($"Step {step.Number} got the number {session.SerialNumber}.");
            Thread.Yield();
            if (random.Next(40) == 0)
            {
                Complete(session, pending, steps);
                session.Dispose();
                session = store.Start(WorkloadPlan.NameOf(index));
            }

            Reach(index, round, session.SerialNumber);
        }

        Complete(session, pending, steps);
        return session;
    }

    private void Complete(IWorkSession session, HashSet<int> pending, AcknowledgedSteps steps)
    {
        session.CompletePending();
        pending.Clear();
        steps.AddWaiting();
        Report(steps);
    }

    private void Report(AcknowledgedSteps steps)
    {
        if (!plan.IsEachDurable) return;
        lock (_reporting) acknowledged(steps.ToPoints());
    }

    private void Allow(long rounds)
    {
        lock (_gate)
        {
            _allowed = Math.Max(_allowed, rounds);
            Monitor.PulseAll(_gate);
        }
    }

    private bool WaitUntilAllowed(int round)
    {
        lock (_gate)
        {
            while (round > _allowed && _failure is null) Monitor.Wait(_gate);
            return _failure is null;
        }
    }

    private void Reach(int session, int round, long number)
    {
        lock (_gate)
        {
            _rounds[session] = round;
            _done[session] = number;
            Monitor.PulseAll(_gate);
        }
    }

    private Task AllReachAsync(int round) => Task.Run(() =>
    {
        lock (_gate)
        {
            while (_rounds.Any(r => r < round) && _failure is null) Monitor.Wait(_gate);
            if (_failure is not null) throw new InvalidOperationException("A session failed.", _failure);
        }
    });

    private void Fail(Exception e)
    {
        lock (_gate)
        {
            _failure ??= e;
            Monitor.PulseAll(_gate);
        }
    }
}
