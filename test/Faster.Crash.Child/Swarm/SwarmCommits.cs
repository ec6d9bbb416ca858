using System.Collections.Concurrent;
using Faster.Contracts;

namespace Faster.Crash.Swarm;

/// <summary>A commit that was requested, and what it must cover.</summary>
/// <param name="Commit">The commit, once it is acknowledged.</param>
/// <param name="Covers">All operations with a lower number were issued before.</param>
/// <param name="Issued">The last numbers of the named sessions at that time.</param>
/// <param name="Pending">The numbers that waited for the disk at that time.</param>
internal sealed record SwarmAsk(
    Task<Commit> Commit, long Covers, IReadOnlyDictionary<SwarmClient, long> Issued,
    IReadOnlyDictionary<SwarmClient, long[]> Pending);

/// <summary>Requests the commits of one life, and checks what the store reports of them.</summary>
/// <remarks>Not thread-safe, except that the store's threads may report commits.</remarks>
internal sealed class SwarmCommits
{
    private const int StallTimeout = 120; // checks

    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1);

    private readonly SwarmPlan _plan;
    private readonly SwarmStore _store;
    private readonly SwarmHistory _history;
    private readonly SwarmSessions _sessions;
    private readonly SwarmTally _counters;
    private readonly ConcurrentQueue<Commit> _committed = new();
    private readonly Dictionary<long, Commit> _known = [];

    /// <summary>The commits of a store that was just opened.</summary>
    public SwarmCommits(
        SwarmPlan plan, SwarmStore store, SwarmHistory history, SwarmSessions sessions,
        SwarmTally counters)
    {
        (_plan, _store, _history, _sessions, _counters) = (plan, store, history, sessions, counters);
        store.Committed += _committed.Enqueue;
    }

    /// <summary>Requests a commit.</summary>
    public SwarmAsk Ask(CommitKind kind, bool withIndex) => Note(() => _store.CommitAsync(kind, withIndex));

    /// <summary>What a commit must cover that is requested later, whatever is under way then.</summary>
    public SwarmAsk Prepare() => Note(static () => Task.FromCanceled<Commit>(new CancellationToken(canceled: true)));

    /// <summary>Lets a session request a commit, and checks the point that it gets.</summary>
    public SwarmAsk AskBy(SwarmSeat seat) => Note(async () =>
    {
        long issued = seat.Client.Issued;
        CommitPoint point = await seat.CommitAsync().ConfigureAwait(false);
        if (point.SerialNumber < issued)
        {
            _counters.Break(
                SwarmFault.StalePoint,
                $"{seat.Client} had issued {issued} when it asked for a commit, and got {SwarmHistory.Text(point)}.");
        }

        return await _store.CommitAsync(_plan.Options.CommitKind).ConfigureAwait(false);
    });

    /// <summary>Waits for a commit and checks everything that it reports.</summary>
    /// <param name="ask">The request.</param>
    /// <param name="time">The store's clock.</param>
    /// <param name="scan">Whether to compare the state as of the commit, if that is possible.</param>
    public async Task EndAsync(SwarmAsk ask, long time, bool scan)
    {
        Commit commit = await Within(ask.Commit).ConfigureAwait(false);
        Hear();
        _known.TryAdd(commit.Version, commit);
        SwarmTold told = _history.Tell(commit.Version, commit.Points, ask.Covers);
        _counters.Add(SwarmCount.Commits);
        if (commit.WasEmpty) _counters.Add(SwarmCount.EmptyCommits);
        CheckPoints(ask, told);
        if (scan || commit.WasEmpty) await CompareAsync(commit, told, time).ConfigureAwait(false);
    }

    /// <summary>Records the commits that the store has made by itself.</summary>
    public void Hear()
    {
        while (_committed.TryDequeue(out Commit? commit))
        {
            _known[commit.Version] = commit;
            _history.Tell(commit.Version, commit.Points, 0);
        }
    }

    /// <summary>Waits for a call; it is a violation if the call fails or does not end.</summary>
    /// <remarks>
    /// It checks the call once a second: if the whole machine stood still meanwhile, that counts as one check.
    /// </remarks>
    public static async Task<T> Within<T>(Task<T> call)
    {
        for (int looks = 0; looks < StallTimeout && !call.IsCompleted; looks++)
            await ((Task)call).WaitAsync(Look).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!call.IsCompleted) throw new SwarmViolation(SwarmFault.Hang, "A call of the store does not end.");
        return await call.ConfigureAwait(false);
    }

    private SwarmAsk Note(Func<Task<Commit>> ask)
    {
        var issued = _history.Known.ToDictionary(static client => client, static client => client.Issued);
        var pending = _sessions.Seats.ToDictionary(
            static seat => seat.Client, static seat => seat.Pending.Keys.ToArray());
        return new SwarmAsk(ask(), _history.Next, issued, pending);
    }

    private void CheckPoints(SwarmAsk ask, SwarmTold told)
    {
        foreach ((SwarmClient client, long issued) in ask.Issued.Where(static asked => !asked.Key.IsForgotten))
        {
            CommitPoint? point = told.Points.GetValueOrDefault(client);
            if ((point?.SerialNumber ?? 0) < issued)
            {
                _counters.Break(
                    SwarmFault.StalePoint,
                    $"{client} had issued {issued} before commit {told.Version} was asked for, which has "
                    + $"{SwarmHistory.Text(point)}.");
            }

            if (point is null) continue;
            long[] open = [.. ask.Pending.GetValueOrDefault(client) ?? [], .. client.ExcludedSerials];
            bool isRelaxed = _plan.Order == PendingOrder.Relaxed;
            if (point.Excluded.Any(number => !isRelaxed || (number <= issued && !open.Contains(number))))
            {
                _counters.Break(
                    SwarmFault.StalePoint,
                    $"{client} had completed what commit {told.Version} leaves out: {SwarmHistory.Text(point)}.");
            }
        }

        foreach (SwarmSeat seat in _sessions.Seats)
        {
            if (told.Points.GetValueOrDefault(seat.Client) is not { } point) continue;
            if (seat.Session.LastCommit.SerialNumber >= point.SerialNumber) continue;
            _counters.Break(
                SwarmFault.StaleLastCommit,
                $"Commit {told.Version} has {SwarmHistory.Text(point)} for {seat.Client}, whose last commit is "
                + $"{SwarmHistory.Text(seat.Session.LastCommit)}.");
        }
    }

    private async Task CompareAsync(Commit commit, SwarmTold told, long time)
    {
        if (await SwarmLook.ScanAsync(_store, commit).ConfigureAwait(false) is not { } found) return;
        _counters.Add(SwarmCount.StatesCompared);
        if (_history.Compare(told, found, time, out _) is { } wrong)
            _counters.Break(SwarmFault.CommittedState, wrong);
    }
}
