using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Log;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// Makes the commits that are asked for, by the state machine of paper 004 §5.3 (<see cref="CommitPhases{TProbe}"/>).
/// </summary>
/// <remarks>
/// <para>One commit at a time; a request that comes while one runs waits for the next, which all who have come by then
/// share. So a commit covers whatever was done before it was asked for.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class CommitCoordinator<TProbe>(
    FasterStore<TProbe> store, CommitWriter<TProbe> writer, CommitRecord? recovered)
    where TProbe : struct, IProbe
{
    private readonly Lock _lock = new();
    private readonly Queue<CommitRequest> _requests = new();
    private readonly CommitState<TProbe> _state = store.Commits;
    private readonly StepWaits<TProbe> _waits = new(store.Epochs);
    private Task _running = Task.CompletedTask;
    private Commit? _last = recovered is null ? null : Recovered(recovered);
    private bool _closed;

    /// <summary>Whether anything was done since the last commit, or space is to be given back by one.</summary>
    public bool HasWork => store.Sessions.HasWork || writer.OwesSpace;

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
                Commit? commit = null;
                if (request.Kind is { } kind)
                    commit = await CommitAsync(kind, request.WithIndex).ConfigureAwait(false);
                else
                    await writer.WriteIndexAsync().ConfigureAwait(false);
                request.Source.TrySetResult(commit);
            }
            catch (Exception e)
            {
                writer.End();
                store.OnFault(e);
                request.Source.TrySetException(e);
            }
        }
    }

    private async Task<Commit> CommitAsync(CommitKind kind, bool withIndex)
    {
        writer.ThrowIfPoisoned();
        if (_last is { } last && !withIndex && !HasWork) return last with { WasEmpty = true };
        long began = Stopwatch.GetTimestamp();
        await writer.BeginAsync(kind, withIndex).ConfigureAwait(false);
        var steps = new CommitSteps<TProbe>(store, writer, kind);
        var phases = new CommitPhases<TProbe>(_state, writer.Log, _waits, store.Garbage!.Truncation.Rising, steps);
        await steps.RunAsync(phases).ConfigureAwait(false);
        var commit = new Commit
        {
            Version = steps.Record.Version,
            Kind = steps.Record.Kind,
            HasNewIndex = writer.HasNewIndex,
            Points = steps.Points,
            BytesWritten = writer.BytesWritten,
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
        _last = commit;
        store.Analytics.OnCommitted(commit, steps.Record);
        Deliver(commit, steps.Sessions);
        return commit;
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

    private void Deliver(Commit commit, List<(SessionEntry<TProbe> Session, CommitPoint Point)> points)
    {
        foreach ((SessionCore<TProbe> session, CommitPoint point)
            in store.Sessions.OnCommitted(commit.Version, points))
        {
            try
            {
                session.Deliver(point);
            }
            catch (Exception e)
            {
                store.OnFault(e);
            }
        }

        try
        {
            store.OnCommitted(commit);
        }
        catch (Exception e)
        {
            store.OnFault(e);
        }
    }
}
