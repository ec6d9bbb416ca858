using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// The state machine of commits (paper 004 §5.3, Fig. 6): takes the store from version v to v + 1 while operations go
/// on, and makes v durable.
/// </summary>
/// <remarks>
/// <para>One commit at a time; a request that comes while one runs waits for the next, which all who have come by then
/// share. So a commit covers whatever was done before it was asked for.</para>
/// <para>No session is needed for a phase to pass: a phase is published, then the epoch is bumped, and when that is
/// safe everybody inside has seen it. Idle sessions see it when they come; the point of those that did not come is
/// their last serial number. What waits for the disk in an idle session is carried out by the store's own
/// thread.</para>
/// <para>Why the points are exact: docs/COMMITS.md. Thread-safe.</para>
/// </remarks>
internal sealed class CommitCoordinator<TProbe>(
    FasterStore<TProbe> store, CommitWriter<TProbe> writer, CommitRecord? recovered)
    where TProbe : struct, IProbe
{
    private readonly Lock _lock = new();
    private readonly Queue<CommitRequest> _requests = new();
    private readonly CommitState<TProbe> _state = store.Commits;
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
        SemaphoreSlim begin = store.Garbage!.Truncation.BeginRising;
        bool holdsBegin = false;
        long version = _state.Current.Version;
        List<(SessionEntry<TProbe> Session, CommitPoint Point)> sessions;
        CommitPoint[] points;
        CommitRecord record;
        try
        {
            // The begin does not rise before all of the version is done: no operation sees one that the commit has not.
            await begin.WaitAsync().ConfigureAwait(false);
            holdsBegin = true;
            writer.NoteBegin();
            await PassAsync(CommitPhase.Prepare, version).ConfigureAwait(false);
            await UnitsHaveEndedAsync(version).ConfigureAwait(false);
            _state.Begin(store.Log.TailAddress);
            await PassAsync(CommitPhase.InProgress, version).ConfigureAwait(false);
            sessions = store.Sessions.Collect(version);
            points = [.. sessions.Select(static session => session.Point)];
            Publish(new SystemState(CommitPhase.WaitPending, version));
            store.Pump.Wake();
            if (_state.Order == PendingOrder.Strict)
            {
                Task done = UntilAsync(() => _state.PendingOf(version) == 0);
                await _state.Streams.WaitAsync(done, version, store.OnFault).ConfigureAwait(false);
            }

            Publish(new SystemState(CommitPhase.WaitFlush, version));
            begin.Release();
            holdsBegin = false;
            record = await writer.CaptureAsync(version, kind, points, RestAsync).ConfigureAwait(false);
        }
        finally
        {
            if (holdsBegin) begin.Release();
            writer.End();
            await RestAsync(frozen: false).ConfigureAwait(false);
        }

        var commit = new Commit
        {
            Version = version,
            Kind = record.Kind,
            HasNewIndex = writer.HasNewIndex,
            Points = points,
            BytesWritten = writer.BytesWritten,
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
        _last = commit;
        store.Analytics.OnCommitted(commit, record);
        Deliver(commit, sessions);
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
        foreach ((FasterSession<TProbe> session, CommitPoint point)
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

    // Idempotent, for the writer says early that version v is captured. If a commit fails before InProgress nobody has
    // left version v, which goes on; after it everybody works at v + 1, and the next commit covers v too. Where all of
    // v is frozen nobody will update it in place, so that those who copy it need not be waited for.
    private async Task RestAsync(bool frozen)
    {
        SystemState state = _state.Current;
        bool isResting = state.Phase == CommitPhase.Rest;
        if (isResting && state.IsPoisoned == writer.IsPoisoned) return;
        if (!frozen && state.Phase >= CommitPhase.InProgress)
            await PassAsync(CommitPhase.Resume, state.Version).ConfigureAwait(false);
        long current = isResting ? state.Version : state.OperationVersion;
        Publish(new SystemState(CommitPhase.Rest, current, writer.IsPoisoned));
        store.Epochs.Bump(static () => { }); // a session at rest looks at the state in a new epoch only
    }

    private async Task PassAsync(CommitPhase phase, long version)
    {
        Publish(new SystemState(phase, version));
        await store.Epochs.SafeAsync().ConfigureAwait(false);
    }

    private void Publish(SystemState state)
    {
        _state.Publish(state);
        store.PendingMemory.OnPhase();
    }

    // A batch under one number takes as long as it likes, and its commit with it: the store tells whom it waits for.
    private async Task UnitsHaveEndedAsync(long version)
    {
        Task done = UntilAsync(() => store.Sessions.FindInUnit() is null);
        try
        {
            await done.WaitAsync(StreamingReads.Patience, store.Options.TimeProvider).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            if (store.Sessions.FindInUnit() is { } session) store.OnFault(Delayed(version, session));
            await done.ConfigureAwait(false);
        }
    }

    private static CommitDelayedException Delayed(long version, FasterSession<TProbe> session) => new(
        $"The commit of version {version} waits for a batch under one serial number, of "
        + $"{(session.Name is null ? "a session without a name" : $"session '{session.Name}'")}, after operation "
        + $"{session.SerialNumber}: a commit takes all of it or none, and other such batches begin after it. Make "
        + "such batches smaller, or read what they need from disk before they begin.")
    {
        Version = version, SessionName = session.Name, SerialNumber = session.SerialNumber,
    };

    private Task UntilAsync(Func<bool> condition) => _state.Gate.WaitForAsync(condition, CancellationToken.None);
}
