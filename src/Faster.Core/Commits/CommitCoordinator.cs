using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Commits;

/// <summary>
/// Makes the commits that are asked for, by the state machine of paper 004 §5.3 (<see cref="CommitPhases{TProbe}"/>),
/// of whatever takes part in them.
/// </summary>
/// <remarks>
/// <para>One commit at a time; a request that comes while one runs waits for the next, which all who have come by then
/// share. So a commit covers whatever was done before it was asked for.</para>
/// <para>Thread-safe.</para>
/// </remarks>
/// <param name="state">What sessions see of commits.</param>
/// <param name="waits">How a step waits.</param>
/// <param name="participants">The parts of the store.</param>
/// <param name="publisher">Makes records durable.</param>
/// <param name="sessions">The sessions.</param>
/// <param name="host">The store.</param>
/// <param name="time">The clock of delays.</param>
/// <param name="recovered">The commit that the store was opened from, or null.</param>
internal sealed class CommitCoordinator<TProbe>(
    CommitState<TProbe> state, IStepWaits waits, IReadOnlyList<ICommitParticipant> participants,
    CommitPublisher publisher, ICommitSessions sessions, ICommitHost host, TimeProvider time, CommitRecord? recovered)
    where TProbe : struct, IProbe
{
    private readonly Lock _lock = new();
    private readonly Queue<CommitRequest> _requests = new();
    private Task _running = Task.CompletedTask;
    private Commit? _last = recovered is null ? null : Recovered(recovered);
    private bool _closed;

    /// <summary>Whether anything was done since the last commit, or space is to be given back by one.</summary>
    public bool HasWork => sessions.HasWork || participants.Any(static participant => participant.HasWork);

    /// <summary>Asks for a commit that covers everything done before the call.</summary>
    public async Task<Commit> RequestAsync(CommitKind kind, bool withIndex) =>
        (await EnqueueAsync(kind, withIndex).ConfigureAwait(false))!;

    /// <summary>Asks for a checkpoint of the index, for later commits to name.</summary>
    public Task CheckpointIndexAsync() => EnqueueAsync(null, withIndex: true);

    /// <summary>Lets no commit begin any more, and ends when the one under way has.</summary>
    public Task CloseAsync()
    {
        lock (_lock)
        {
            _closed = true;
            foreach (CommitRequest request in _requests)
                request.Source.TrySetException(new ObjectDisposedException("The store was closed before the commit."));
            _requests.Clear();
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
                if (_running.IsCompleted) _running = Task.Run(RunAsync);
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
                publisher.ThrowIfPoisoned();
                Commit? commit = null;
                if (request.Kind is { } kind) commit = await CommitAsync(kind, request.WithIndex).ConfigureAwait(false);
                else await CheckpointAsync().ConfigureAwait(false);
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
            await participant.CheckpointIndexAsync().ConfigureAwait(false);
    }

    private async Task<Commit> CommitAsync(CommitKind kind, bool withIndex)
    {
        if (_last is { } last && !withIndex && !HasWork) return last with { WasEmpty = true };
        long began = Stopwatch.GetTimestamp();
        foreach (ICommitParticipant participant in participants)
            await participant.PrepareAsync(kind, withIndex).ConfigureAwait(false);
        var steps = new CommitSteps<TProbe>(kind, state, participants, publisher, sessions, host, time);
        await new CommitPhases<TProbe>(state, participants, waits, steps).RunAsync().ConfigureAwait(false);
        var commit = new Commit
        {
            Version = steps.Record.Version,
            Kind = steps.Record.Kind,
            HasNewIndex = participants.Any(static participant => participant.HasNewIndex),
            Points = steps.Points,
            BytesWritten = participants.Sum(static participant => participant.BytesWritten),
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
        _last = commit;
        host.OnDurable(commit, steps.Record);
        sessions.OnCommitted(commit.Version, host.OnFault);
        host.OnCommitted(commit);
        return commit;
    }

    // The store is at rest, whether a commit or the checkpoint of an index has failed.
    private void TellIfPoisoned()
    {
        SystemState now = state.Current;
        if (now.IsPoisoned == publisher.IsPoisoned) return;
        state.Publish(new SystemState(now.Phase, now.Version, poisoned: true));
        host.OnPhase(now.Phase);
        waits.Bump(); // a session at rest looks at the state in a new epoch only
    }

    private static Commit Recovered(CommitRecord record) => new()
    {
        Version = record.Version,
        Kind = record.Kind,
        HasNewIndex = false,
        Points = record.Sessions,
        BytesWritten = 0,
        Elapsed = TimeSpan.Zero,
    };
}
