using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Invariants;
using Faster.Log;
using Faster.Threads;

namespace Faster.Commits;

/// <summary>
/// Makes the requested commits by the state machine of paper 004 §5.3 (<see cref="CommitPhases"/>), for all
/// participants.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>One commit at a time.</item>
/// <item>A commit covers everything done before it was requested: a request that arrives while a commit runs waits for
/// the next one, which all requests that have arrived by then share.</item>
/// <item>Every request that was accepted ends with its commit, or the commit's failure, also while the store is closed.
/// </item>
/// <item>Sessions hear of a commit only when it is durable.</item>
/// </list>
/// <para>Thread-safe: a short lock.</para>
/// </remarks>
/// <param name="state">The state that sessions see.</param>
/// <param name="waits">How a step waits.</param>
/// <param name="participants">The parts of the store that commits capture.</param>
/// <param name="publisher">Makes commit records durable.</param>
/// <param name="sessions">The sessions.</param>
/// <param name="host">The store.</param>
/// <param name="time">The clock by which delays are measured.</param>
/// <param name="recovered">The commit that the store was opened from, or null.</param>
internal sealed class CommitCoordinator(
    CommitState state, IStepWaits waits, IReadOnlyList<ICommitParticipant> participants,
    CommitPublisher publisher, ICommitSessions sessions, ICommitHost host, TimeProvider time, CommitRecord? recovered)
{
    private readonly Lock _lock = new();
    private readonly Queue<CommitRequest> _requests = new();
    private Task _running = Task.CompletedTask;
    private Commit? _last = recovered?.ToCommit();
    private bool _closed;

    /// <summary>Whether anything was done since the last commit, or a commit can release disk space.</summary>
    public bool HasWork => sessions.HasWork || participants.Any(static participant => participant.HasWork);

    /// <summary>The version of the last commit that is known to be durable; null if there is none.</summary>
    public long? LastVersion => Volatile.Read(ref _last)?.Version;

    /// <summary>Requests a commit that covers everything done before the call.</summary>
    public Task<Commit> RequestAsync(CommitKind kind, bool withIndex) => EnqueueAsync(kind, withIndex)!;

    /// <summary>Requests a checkpoint of the index, which later commits name.</summary>
    public Task CheckpointIndexAsync() => EnqueueAsync(null, withIndex: true);

    /// <summary>
    /// Refuses further commits; the task ends with the last one that was requested before, each of which is made.
    /// </summary>
    public Task CloseAsync()
    {
        lock (_lock)
        {
            _closed = true;
            return _running;
        }
    }

    private Task<Commit?> EnqueueAsync(CommitKind? kind, bool withIndex)
    {
        lock (_lock)
        {
            ClosedStore.ThrowIf(_closed);
            CommitRequest? request = _requests.FirstOrDefault(waiting => waiting.Kind == kind);
            if (request is null)
            {
                request = new CommitRequest(kind);
                _requests.Enqueue(request);
                if (_running.IsCompleted) _running = BackgroundTasks.Run(RunAsync);
            }

            request.WithIndex |= withIndex;
            return request.Source.Task;
        }
    }

    private async Task RunAsync()
    {
        for (;;)
        {
            CommitRequest request;
            lock (_lock)
            {
                if (!_requests.TryDequeue(out request!))
                {
                    _running = Task.CompletedTask;
                    return;
                }
            }

            try
            {
                sessions.ThrowIfUnitFailed();
                publisher.ThrowIfPoisoned();
                Commit? commit = null;
                if (request.Kind is { } kind) commit = await CommitAsync(kind, request.WithIndex).Here();
                else await CheckpointAsync().Here();
                request.Source.TrySetResult(commit);
            }
            catch (Exception e)
            {
                foreach (ICommitParticipant participant in participants) participant.End();
                publisher.PoisonIfFinal(e);
                TellIfPoisoned();
                host.OnFault(e);
                request.Source.TrySetException(e);
            }
        }
    }

    private async Task CheckpointAsync()
    {
        foreach (ICommitParticipant participant in participants)
            await participant.CheckpointIndexAsync().Here();
    }

    private async Task<Commit> CommitAsync(CommitKind kind, bool withIndex)
    {
        if (_last is { } last && !withIndex && !HasWork) return last with { WasEmpty = true };
        long began = Stopwatch.GetTimestamp();
        Task rehearsal = CommitRehearsal.RunOnceAsync(state.Order);
        foreach (ICommitParticipant participant in participants)
            await participant.PrepareAsync(kind, withIndex).Here();
        await rehearsal.HereQuietly(); // only saves time
        var steps = new CommitSteps(kind, state, participants, publisher, sessions, host, time);
        await new CommitPhases(state, participants, waits, steps).RunAsync().Here();
        var commit = new Commit
        {
            Version = steps.Record.Version,
            Kind = steps.Record.Kind,
            HasNewIndex = participants.Any(static participant => participant.HasNewIndex),
            Points = steps.Points,
            BytesWritten = participants.Sum(static participant => participant.BytesWritten),
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
        Invariant.Check(
            commit.Version > (_last?.Version ?? 0) && commit.Version < state.Current.OperationVersion,
            $"versions rise: {commit.Version} after {_last?.Version}, before {state.Current.OperationVersion}");
        _last = commit;
        host.OnDurable(commit, steps.Record);
        sessions.OnCommitted(commit.Version, host.OnFault);
        host.OnCommitted(commit);
        return commit;
    }

    // The store is at rest here, whether a commit or a checkpoint of the index has failed.
    private void TellIfPoisoned()
    {
        SystemState now = state.Current;
        if (now.IsPoisoned == publisher.IsPoisoned) return;
        state.Publish(new SystemState(now.Phase, now.Version, poisoned: true));
        host.OnPhase(now.Phase);
        waits.Bump(); // a session at rest reads the state in a new epoch only
    }
}
