using Faster.Checkpoints;
using Faster.Contracts;

namespace Faster.Commits;

/// <summary>One commit: its sessions' points, its record, and what it tells of delays.</summary>
/// <remarks>Used by the coordinator alone.</remarks>
/// <param name="kind">How the version is captured.</param>
/// <param name="state">What sessions see of it.</param>
/// <param name="participants">The parts of the store.</param>
/// <param name="publisher">Makes the record durable.</param>
/// <param name="sessions">The sessions.</param>
/// <param name="host">The store.</param>
/// <param name="time">The clock of delays.</param>
internal sealed class CommitSteps<TProbe>(
    CommitKind kind, CommitState<TProbe> state, IReadOnlyList<ICommitParticipant> participants,
    CommitPublisher publisher, ICommitSessions sessions, ICommitHost host, TimeProvider time) : ICommitSteps
    where TProbe : struct, IProbe
{
    private readonly long _version = state.Current.Version;

    /// <summary>The points.</summary>
    public CommitPoint[] Points { get; private set; } = [];

    /// <summary>What was published; once the commit has been made.</summary>
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
            Clock = Math.Max(host.Clock, 0), // after every operation of the commit has ended
            Sessions = [.. Points.Where(static point => point.SessionName is not null)],
        };
        foreach (ICommitParticipant participant in participants) record = participant.Describe(record);
        Record = record;
        return Task.Run(() => publisher.Publish(record, participants));
    }

    /// <inheritdoc/>
    public void OnFailed(Exception failure) => publisher.OnFailed(_version, failure);

    // A batch under one number takes as long as it likes, and its commit with it: the store tells whom it waits for.
    private async Task WatchUnitsAsync(Task done)
    {
        try
        {
            await done.WaitAsync(StreamingReads.Patience, time).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            if (sessions.FindInUnit() is { } session) host.OnFault(Delayed(session.Name, session.SerialNumber));
            await done.ConfigureAwait(false);
        }
    }

    private CommitDelayedException Delayed(string? name, long serialNumber) => new(
        $"The commit of version {_version} waits for a batch under one serial number, of "
        + $"{(name is null ? "a session without a name" : $"session '{name}'")}, after operation "
        + $"{serialNumber}: a commit takes all of it or none, and other such batches begin after it. Make "
        + "such batches smaller, or read what they need from disk before they begin.")
    {
        Version = _version, SessionName = name, SerialNumber = serialNumber,
    };
}
