using Faster.Checkpoints;
using Faster.Threads;

namespace Faster.Commits;

/// <summary>One commit's own work: its commit points, its record, and its reports of delays.</summary>
/// <remarks>Used by the coordinator alone.</remarks>
/// <param name="kind">How the version is captured.</param>
/// <param name="state">The state that sessions see.</param>
/// <param name="participants">The parts of the store.</param>
/// <param name="publisher">Makes the record durable.</param>
/// <param name="sessions">The sessions.</param>
/// <param name="host">The store.</param>
/// <param name="time">The clock by which delays are measured.</param>
internal sealed class CommitSteps(
    CommitKind kind, CommitState state, IReadOnlyList<ICommitParticipant> participants,
    CommitPublisher publisher, ICommitSessions sessions, ICommitHost host, TimeProvider time) : ICommitSteps
{
    private readonly long _version = state.Current.Version;

    /// <summary>The commit points of all sessions; empty until <see cref="Collect"/>.</summary>
    public CommitPoint[] Points { get; private set; } = [];

    /// <summary>The commit's record; null until <see cref="PublishAsync"/> has made it.</summary>
    public CommitRecord Record { get; private set; } = null!;

    /// <inheritdoc/>
    public bool IsAnyInUnit => sessions.FindInUnit() is not null;

    /// <inheritdoc/>
    public void OnPhase(CommitPhase phase) => host.OnPhase(phase);

    /// <inheritdoc/>
    public void Collect() => Points = sessions.Collect(_version);

    /// <inheritdoc/>
    public Task WatchAsync(CommitPhase phase, Task done) => phase == CommitPhase.Prepare
        ? WatchUnitsAsync(done)
        : state.Streams.WaitAsync(done, _version, host.OnFault);

    /// <inheritdoc/>
    public Task PublishAsync()
    {
        var record = new CommitRecord
        {
            Version = _version,
            Kind = kind,
            Clock = host.Clock, // after every operation of the commit has ended
            Sessions = [.. Points.Where(static point => point.SessionName is not null)],
        };
        foreach (ICommitParticipant participant in participants) record = participant.Describe(record);
        Record = record;
        if (!BackgroundTasks.IsCurrent) return BackgroundTasks.Run(() => publisher.Publish(record, participants));
        publisher.Publish(record, participants);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public void OnFailed(Exception failure) => publisher.OnFailed(_version, failure);

    // A unit may take any time, and its commit waits as long: the store reports the session.
    private async Task WatchUnitsAsync(Task done)
    {
        if (done.IsCompletedSuccessfully)
        {
            sessions.ThrowIfUnitFailed();
            return;
        }

        try
        {
            await done.OrTimeout(StreamingReads.StallTimeout, time).Here();
        }
        catch (TimeoutException)
        {
            if (sessions.FindInUnit() is { } session) host.OnFault(Delayed(session.Name, session.SerialNumber));
            await done.Here();
        }

        sessions.ThrowIfUnitFailed();
    }

    private FasterException Delayed(string? name, long serialNumber) => new(
        ErrorReason.CommitDelayed,
        $"The commit of version {_version} waits for a unit, several operations under one serial number, of "
        + $"{(name is null ? "a session without a name" : $"session '{name}'")}, after operation "
        + $"{serialNumber}: a commit takes all of it or none, and other units begin after it. Make units "
        + "smaller, or read what they need from disk before they begin.");
}
