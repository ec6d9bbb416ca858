using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Engines;

namespace Faster.Crash.Ledgers;

/// <summary>Writes a ledger and commits beside one feature; notes everything that the store reports.</summary>
/// <param name="plan">The feature and the seed.</param>
/// <param name="store">The store.</param>
/// <param name="life">Which life of the process this is.</param>
/// <param name="time">The store's clock.</param>
/// <param name="note">Takes notes.</param>
/// <param name="onFailure">Called with each failure; false: the run ends. Null: nothing may fail.</param>
public sealed class LedgerRun(
    LedgerPlan plan, FasterStore store, int life, SteppedTime time, Action<string> note,
    Func<FasterException, bool>? onFailure = null)
{
    private const int SightEvery = 8;

    private static readonly CommitKind[] Kinds = Enum.GetValues<CommitKind>();

    private readonly Random _random = new((plan.Seed * 1000) + life);
    private readonly List<(long Serial, long Tail, DateTimeOffset Time)> _rounds = [];
    private readonly LedgerScans _scans = new(store);
    private readonly TaskCompletionSource _sight = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _resumeAt = SubscribeOptions.Beginning;
    private bool _ended;

    /// <summary>Runs some rounds, each of which ends with a commit.</summary>
    public async Task GoAsync(int rounds)
    {
        using FasterSession session = store.StartSession(LedgerPlan.Session);
        note(LedgerNotes.LifeOf(life, session.SerialNumber));
        _rounds.Add((session.SerialNumber, store.Statistics.TailAddress, DateTimeOffset.MinValue));
        using var ending = new CancellationTokenSource();
        bool follows = plan.Feature == LedgerFeature.Following;
        Task following = follows ? Task.Run(() => TryAsync(() => FollowAsync(ending.Token))) : Task.CompletedTask;
        for (int round = 0; round < rounds && !_ended; round++)
        {
            await PutAsync(session, _random.Next(plan.LongestRound / 2)).ConfigureAwait(false);
            Task beside = TryAsync(() => BesideAsync(round));
            Task commit = TryAsync(CommitAsync);
            await PutAsync(session, _random.Next(plan.LongestRound / 2)).ConfigureAwait(false);
            await Task.WhenAll(commit, beside).ConfigureAwait(false);
            _rounds.Add((session.SerialNumber, store.Statistics.TailAddress, time.Now));
            time.Now += TimeSpan.FromHours(1);
        }

        await _scans.EndAsync().ConfigureAwait(false);
        if (follows)
        {
            // A fold-over shows the subscriber what snapshots did not. It needs a change: otherwise it has nothing to
            // do.
            await PutAsync(session, 1).ConfigureAwait(false);
            _ = await store.CommitAsync(CommitKind.FoldOver).ConfigureAwait(false);
            await _sight.Task.ConfigureAwait(false);
        }

        await ending.CancelAsync().ConfigureAwait(false);
        await following.ConfigureAwait(false);
    }

    private async Task PutAsync(FasterSession session, int count)
    {
        for (long last = session.SerialNumber + count; session.SerialNumber < last && !_ended;)
        {
            await TryAsync(() =>
            {
                long key = session.SerialNumber + 1;
                var put = new NumberOperations.Put(LedgerPlan.ValueOf(key, life));
                Status status = session.Upsert(new UnmanagedKey<long>(key), ref put);
                return status == Status.Pending
                    ? throw new InvalidOperationException("A blind update waits for the disk.")
                    : Task.CompletedTask;
            }).ConfigureAwait(false);
        }
    }

    private async Task CommitAsync()
    {
        long begin = store.Statistics.BeginAddress;
        Commit commit = await store.CommitAsync(Kinds[_random.Next(Kinds.Length)]).ConfigureAwait(false);
        CommitPoint? point = commit.Points.FirstOrDefault(static p => p.SessionName == LedgerPlan.Session);
        if (point is not null) note(LedgerNotes.CommitOf(point.SerialNumber, begin));
        if (plan.Feature == LedgerFeature.Exporting)
            await _scans.TakeAsync(commit, point?.SerialNumber ?? 0).ConfigureAwait(false);
    }

    private Task BesideAsync(int round) => plan.Feature switch
    {
        LedgerFeature.Truncating when round % 2 == 1 => TruncateAsync(),
        LedgerFeature.TruncatingByAge => TruncateByAgeAsync(),
        LedgerFeature.Importing when round % 3 == 1 => ImportAsync(round),
        _ => Task.CompletedTask,
    };

    private async Task TruncateAsync()
    {
        (long serial, long tail, _) = _rounds[_random.Next(_rounds.Count)];
        note(LedgerNotes.TruncationOf(serial));
        await store.TruncateAsync(tail).ConfigureAwait(false);
    }

    private async Task TruncateByAgeAsync()
    {
        note(LedgerNotes.TruncationOf(_rounds.LastOrDefault(round => round.Time < time.Now - LedgerPlan.Age).Serial));
        _ = await store.TruncateOlderThanAsync(LedgerPlan.Age).ConfigureAwait(false);
    }

    private async Task ImportAsync(int round)
    {
        long first = (((long)life * 1000) + round + 1) * LedgerPlan.ImportsApart;
        note(LedgerNotes.ImportOf(first, isCommitted: false));
        using var bytes = new MemoryStream(
            await LedgerRecords.ExportAsync(first, LedgerPlan.ImportedRecords).ConfigureAwait(false));
        _ = await LedgerRecords.ImportAsync(store, bytes).ConfigureAwait(false);
        _ = await store.CommitAsync(Kinds[_random.Next(Kinds.Length)]).ConfigureAwait(false);
        note(LedgerNotes.ImportOf(first, isCommitted: true));
    }

    private async Task FollowAsync(CancellationToken ct)
    {
        try
        {
            var options = new SubscribeOptions { FromAddress = _resumeAt, CommittedOnly = true };
            await foreach (LogEntry<long> item in store.Analytics.SubscribeAsync(options, KeyOf, ct)
                .ConfigureAwait(false))
            {
                _resumeAt = item.NextAddress;
                if (item.Record % SightEvery != 0) continue;
                note(LedgerNotes.SightOf(item.Record, item.NextAddress));
                _sight.TrySetResult();
            }
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            // The run has ended.
        }
    }

    private async Task TryAsync(Func<Task> call)
    {
        while (!Volatile.Read(ref _ended))
        {
            try
            {
                await call().ConfigureAwait(false);
                return;
            }
            catch (FasterException e) when (onFailure is not null)
            {
                if (!onFailure(e)) Volatile.Write(ref _ended, true);
            }
        }
    }

    private static long KeyOf(RecordView record) => BitConverter.ToInt64(record.Key);
}
