using Faster.Commits;
using Faster.Contracts;
using Faster.Crash.Leases;

namespace Faster.Crash.Swarm;

/// <summary>One opening of a store: judges what it has recovered, then issues operations and commits.</summary>
/// <remarks>One thread issues everything; commits, growth and compaction run beside it.</remarks>
internal sealed class SwarmLife : IDisposable
{
    private const int Holders = 2;

    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(20);

    private readonly SwarmPlan _plan;
    private readonly SwarmStore _store;
    private readonly SwarmHistory _history;
    private readonly SwarmState _state;
    private readonly SwarmGate _gate;
    private readonly LeaseTime? _clock;
    private readonly Random _random;
    private readonly SwarmTally _counters;
    private readonly SwarmSessions _sessions;
    private readonly SwarmCommits _commits;
    private readonly List<Task> _beside = [];
    private SwarmHolder[] _holders = [];

    /// <summary>Begins with a store that was judged.</summary>
    public SwarmLife(
        SwarmPlan plan, SwarmStore store, SwarmHistory history, SwarmGate gate, LeaseTime? clock,
        Random random, SwarmTally counters)
    {
        (_plan, _store, _history, _gate, _clock, _random, _counters) =
            (plan, store, history, gate, clock, random, counters);
        _state = history.Now();
        _sessions = new SwarmSessions(plan, store, history, _state, clock, random, counters);
        _commits = new SwarmCommits(plan, store, history, _sessions, counters);
    }

    private long Time => _clock?.Milliseconds ?? 0;

    // To reclaim space, also that of expired records or of operation logs, a store commits by itself.
    private bool CommitsByItself =>
        _plan.IsEachDurable || _plan.Options.CommitEvery != default || _plan.Options.DiskBudget.Bytes != 0
        || _plan.Expires;

    /// <summary>Issues operations and commits.</summary>
    public async Task GoAsync()
    {
        _holders = [.. Enumerable.Range(0, Holders)
            .Select(i => new SwarmHolder(_sessions.OpenApart(i)))];
        if (_random.Next(3) == 0)
        {
            // Another client commits before any of the recovered sessions continues.
            Hold(0);
            EndHolds();
            await _commits.EndAsync(AnyAsk(), Time, scan: true).ConfigureAwait(false);
        }

        long last = _history.Next + _plan.Operations;
        while (_history.Next < last)
        {
            _sessions.NoCommitRuns = !CommitsByItself;
            _sessions.Work(_random.Next(2 * _plan.OperationsOfACommit));
            _sessions.NoCommitRuns = false;
            BeginBeside();
            await CommitAsync().ConfigureAwait(false);
            if (_random.Next(2) == 0) await EndBesideAsync().ConfigureAwait(false);
            if (_clock is not null && _random.Next(3) == 0) MoveClock();
        }
    }

    /// <summary>Ends: what was not committed is compared with the live store, and may be lost then.</summary>
    public async Task EndAsync()
    {
        _gate.Open();
        EndHolds();
        await EndBesideAsync().ConfigureAwait(false);
        if (_random.Next(3) != 0)
        {
            _sessions.CompleteAll();
            await CompareLiveAsync().ConfigureAwait(false);
        }

        if (_random.Next(3) == 0) _sessions.CloseAll();
        if (_random.Next(2) == 0)
        {
            SwarmAsk ask = _commits.Ask(AnyKind(), withIndex: _random.Next(4) == 0);
            await _commits.EndAsync(ask, Time, scan: false).ConfigureAwait(false);
        }

        await _store.DisposeAsync().ConfigureAwait(false);
        _commits.Hear();
    }

    /// <summary>Records what the store had reported before it crashed. Call it when the store is closed.</summary>
    public void Hear() => _commits.Hear();

    /// <inheritdoc/>
    public void Dispose()
    {
        _gate.Open();
        foreach (SwarmHolder holder in _holders) holder.Dispose();
    }

    private async Task CommitAsync()
    {
        // Pages are partly written when the commit begins: some of the writes are released, the rest is held.
        if (_random.Next(2) == 0)
        {
            _gate.Hold(log: true, files: false);
            _sessions.Work(_random.Next(1 + (_plan.OperationsOfACommit / 4)));
            _gate.Release?.Invoke(_random.Next(4));
        }

        if (_random.Next(2) == 0) _gate.Hold(log: _random.Next(2) == 0, files: true);
        List<SwarmAsk> asks = [];
        bool isQuiet = _random.Next(2) == 0;
        if (_random.Next(3) == 0) HoldPhase(asks, isQuiet);
        else asks.Add(AnyAsk());
        for (int i = isQuiet ? 0 : _random.Next(6); i > 0; i--)
        {
            _sessions.Work(1 + _random.Next(8), small: true);
            _gate.Release?.Invoke(_random.Next(3));
            if (_random.Next(4) == 0) asks.Add(AnyAsk());
        }

        _gate.Open();
        foreach (SwarmAsk ask in asks)
            await _commits.EndAsync(ask, Time, scan: _random.Next(3) == 0).ConfigureAwait(false);
        if (isQuiet || _random.Next(2) == 0)
        {
            // "Nothing to do" is a claim like any other.
            await _commits.EndAsync(AnyAsk(), Time, scan: _random.Next(3) == 0).ConfigureAwait(false);
        }
    }

    // The first operation begins before the commit and holds up its Prepare; the second one begins within that, and
    // holds up InProgress, in which sessions pass their points, go on, and end before the points are collected. In a
    // quiet store nothing else happens, so that the next commit may answer that there is nothing to do.
    private void HoldPhase(List<SwarmAsk> asks, bool isQuiet)
    {
        SwarmAsk before = _commits.Prepare();
        Hold(0);
        asks.Add(before with { Commit = AnyAsk().Commit });
        Reach(CommitPhase.Prepare);
        if (_random.Next(2) == 0) _sessions.Work(1, small: true);
        Hold(1);
        _holders[0].Release();
        Reach(CommitPhase.InProgress);
        for (int i = 1 + _random.Next(3); i > 0; i--)
        {
            if (_random.Next(3) == 0) _sessions.ChangeLife();
            else _sessions.Request();
            if (!isQuiet) _sessions.Work(1, small: true);
        }

        EndHolds();
    }

    private void EndHolds()
    {
        foreach (SwarmHolder holder in _holders)
        {
            holder.End();
            _history.Acknowledge(holder.Seat.Client);
        }
    }

    private void Hold(int index)
    {
        SwarmHolder holder = _holders[index];
        holder.Begin(_sessions.Issue(holder.Seat, SwarmAct.Put, _plan.Keys + index, _plan.ValueLength));
    }

    private void Reach(CommitPhase phase) => SpinWait.SpinUntil(() => _store.Phase >= phase, Soon);

    private SwarmAsk AnyAsk()
    {
        IReadOnlyList<SwarmSeat> seats = _sessions.Seats;
        return _random.Next(4) == 0 && seats.Count > 0
            ? _commits.AskBy(seats[_random.Next(seats.Count)])
            : _commits.Ask(AnyKind(), withIndex: _random.Next(6) == 0);
    }

    private CommitKind AnyKind() => _plan.Kinds[_random.Next(_plan.Kinds.Count)];

    private void BeginBeside()
    {
        switch (_random.Next(12))
        {
            case 0:
                _beside.Add(TryResizeAsync(grow: true));
                break;
            case 1:
                _beside.Add(TryResizeAsync(grow: false));
                break;
            case 2:
                _beside.Add(_store.CompactAsync(_random));
                break;
            case 3:
                _beside.Add(_store.CheckpointIndexAsync());
                break;
        }
    }

    private async Task EndBesideAsync()
    {
        foreach (Task task in _beside) await SwarmCommits.Within(Ended(task)).ConfigureAwait(false);
        _beside.Clear();
    }

    private static async Task<bool> Ended(Task task)
    {
        await task.ConfigureAwait(false);
        return true;
    }

    private async Task TryResizeAsync(bool grow)
    {
        try
        {
            await _store.ResizeAsync(grow).ConfigureAwait(false);
        }
        catch (LimitExceededException)
        {
            // It has its largest or smallest size.
        }
    }

    // No operation is under way, so that each operation has one time.
    private void MoveClock()
    {
        _sessions.CompleteAll();
        TimeSpan by = TimeSpan.FromMinutes(_random.Next(90));
        _history.Journal?.Invoke(SwarmJournal.Time(Time + (long)by.TotalMilliseconds));
        _clock!.Now += by;
    }

    private async Task CompareLiveAsync()
    {
        SwarmRun.Compare(await SwarmLook.ScanAsync(_store, null).ConfigureAwait(false), _history.Now(), Time, "a scan");
        SwarmRun.Compare(SwarmRun.ReadAll(_store, _plan), _state, Time, "reads");
        _counters.Add(SwarmCount.StatesCompared, 2);
    }
}
