using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Ledgers;
using Faster.Crash.Workloads;
using Faster.Engines;

namespace Faster.Crash.Leases;

/// <summary>
/// Writes leases and commits, beside compactions and a clock that moves; notes everything that the model needs.
/// </summary>
/// <remarks>
/// The clock moves only while no operation is under way, so that each operation has one time; compactions and commits
/// may be under way.
/// </remarks>
/// <param name="plan">What is done.</param>
/// <param name="store">The store.</param>
/// <param name="life">Which life of the process this is.</param>
/// <param name="time">The store's clock.</param>
/// <param name="note">Takes notes.</param>
public sealed class LeaseRun(LeasePlan plan, FasterStore store, int life, LeaseTime time, Action<string> note)
{
    private const int LongestRound = 60;

    private static readonly CommitKind[] Kinds = Enum.GetValues<CommitKind>();

    private readonly Random _random = new((plan.Seed * 1000) + life);
    private readonly HashSet<int> _pending = [];

    /// <summary>Runs some rounds, each of which ends with a commit.</summary>
    public async Task GoAsync(int rounds)
    {
        using FasterSession session = store.StartSession(LeasePlan.Session);
        var work = new EntrySession(session);
        note(LedgerNotes.LifeOf(life, session.SerialNumber));
        PutClock(time.Now, session.SerialNumber);
        for (int round = 0; round < rounds; round++)
        {
            Work(work, session);
            Task compaction = round % 2 == 1 ? Task.Run(CompactAsync) : Task.CompletedTask;
            CommitKind kind = Kinds[_random.Next(Kinds.Length)];
            Task commit = Task.Run(() => CommitAsync(kind));
            PutClock(time.Now + (_random.NextDouble() * LeasePlan.LongestStep), session.SerialNumber);
            Work(work, session);
            await Task.WhenAll(commit, compaction).ConfigureAwait(false);
        }
    }

    private void PutClock(DateTimeOffset now, long after)
    {
        // The time that is set is the one that is noted, and it is noted first: nothing expires by a time that is not
        // noted.
        long milliseconds = now.ToUnixTimeMilliseconds();
        note(LedgerNotes.ClockOf(milliseconds, after));
        time.Now = DateTimeOffset.FromUnixTimeMilliseconds(milliseconds);
    }

    private void Work(EntrySession work, FasterSession session)
    {
        for (int count = _random.Next(LongestRound); count > 0; count--)
        {
            (Step step, TimeSpan timeToLive) = plan.StepOf(session.SerialNumber + 1, life);

            // Two operations of one session on one key, of which the first waits for the disk, have no order.
            if (_pending.Contains(step.Key)) Complete(work);
            session.TimeToLive = timeToLive;
            if (!work.Do(step)) _pending.Add(step.Key);
        }

        Complete(work);
    }

    private void Complete(EntrySession work)
    {
        work.CompletePending();
        _pending.Clear();
    }

    private async Task CompactAsync()
    {
        StoreStatistics now = store.Statistics;
        _ = await store.CompactAsync((now.BeginAddress + now.TailAddress) / 2).ConfigureAwait(false);
    }

    private async Task CommitAsync(CommitKind kind)
    {
        Commit commit = await store.CommitAsync(kind).ConfigureAwait(false);
        CommitPoint? point = commit.Points.FirstOrDefault(static p => p.SessionName == LeasePlan.Session);
        if (point is not null) note(LedgerNotes.CommitOf(point.SerialNumber, 0));
    }
}
