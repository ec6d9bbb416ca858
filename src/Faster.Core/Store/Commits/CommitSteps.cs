using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Sessions;

namespace Faster;

/// <summary>One commit of a store: its sessions' points, its record, and what it tells of delays.</summary>
/// <remarks>Used by the coordinator alone.</remarks>
internal sealed class CommitSteps<TProbe>(FasterStore<TProbe> store, CommitWriter<TProbe> writer, CommitKind kind)
    : ICommitSteps
    where TProbe : struct, IProbe
{
    private readonly long _version = store.Commits.Current.Version;
    private CommitPhases<TProbe>? _phases;

    /// <summary>The sessions, and their points.</summary>
    public List<(SessionEntry<TProbe> Session, CommitPoint Point)> Sessions { get; private set; } = [];

    /// <summary>The points.</summary>
    public CommitPoint[] Points { get; private set; } = [];

    /// <summary>What was published; once the commit has been made.</summary>
    public CommitRecord Record { get; private set; } = null!;

    /// <inheritdoc/>
    public bool IsAnyInUnit => store.Sessions.FindInUnit() is not null;

    /// <inheritdoc/>
    public bool IsPoisoned => writer.IsPoisoned;

    /// <summary>Makes the commit.</summary>
    public Task RunAsync(CommitPhases<TProbe> phases)
    {
        _phases = phases;
        return phases.RunAsync();
    }

    /// <inheritdoc/>
    public void NoteBegin() => writer.NoteBegin();

    /// <inheritdoc/>
    public void OnPhase(CommitPhase phase)
    {
        store.PendingMemory.OnPhase();
        if (phase == CommitPhase.WaitPending) store.Pump.Wake();
    }

    /// <inheritdoc/>
    public void Collect()
    {
        Sessions = store.Sessions.Collect(_version);
        Points = [.. Sessions.Select(static session => session.Point)];
    }

    /// <inheritdoc/>
    public Task WatchAsync(CommitPhase phase, Task done) => phase == CommitPhase.Prepare
        ? WatchUnitsAsync(done)
        : store.Commits.Streams.WaitAsync(done, _version, store.OnFault);

    /// <inheritdoc/>
    public async Task CaptureAsync() =>
        Record = await writer.CaptureAsync(_version, kind, Points, _phases!).ConfigureAwait(false);

    /// <inheritdoc/>
    public void End() => writer.End();

    // A batch under one number takes as long as it likes, and its commit with it: the store tells whom it waits for.
    private async Task WatchUnitsAsync(Task done)
    {
        try
        {
            await done.WaitAsync(StreamingReads.Patience, store.Options.TimeProvider).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            if (store.Sessions.FindInUnit() is { } session) store.OnFault(Delayed(_version, session));
            await done.ConfigureAwait(false);
        }
    }

    private static CommitDelayedException Delayed(long version, SessionCore<TProbe> session) => new(
        $"The commit of version {version} waits for a batch under one serial number, of "
        + $"{(session.Name is null ? "a session without a name" : $"session '{session.Name}'")}, after operation "
        + $"{session.SerialNumber}: a commit takes all of it or none, and other such batches begin after it. Make "
        + "such batches smaller, or read what they need from disk before they begin.")
    {
        Version = version, SessionName = session.Name, SerialNumber = session.SerialNumber,
    };
}
