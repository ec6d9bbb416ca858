using System.Globalization;
using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Engines.Transactional.Capture;
using Faster.LogCommits;
using Faster.Tests.Scheduling;
using Faster.Threads;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// A commit of a transactional store under a controlled scheduler: the phases, and what captures the table, are those
/// that ship; what is captured is kept instead of written. Sessions have numbers as names.
/// </summary>
internal sealed class ScheduledCapture : ICommitParticipant, ICommitSteps
{
    public const string Twice = "A commit has captured a record twice";

    private readonly TransactionalStore _store;
    private readonly TableCapture _capture;
    private readonly ScheduledWaits _waits;

    public ScheduledCapture(TransactionalStore store)
    {
        _store = store;
        _capture = new TableCapture(store, Keep);
        _waits = new ScheduledWaits(store.Core.Epochs);
    }

    /// <summary>The version; 0 before the commit.</summary>
    public long Version { get; private set; }

    /// <summary>The records.</summary>
    public Dictionary<long, long> Records { get; } = [];

    /// <summary>The point of each session.</summary>
    public Dictionary<int, long> Points { get; } = [];

    public bool IsAnyInUnit => _store.Core.Sessions.FindInUnit() is not null;

    /// <summary>Commits.</summary>
    /// <param name="others">Participants that come first.</param>
    public void Run(params ICommitParticipant[] others) => ScheduledWaits.Run(
        new CommitPhases(_store.Core.Commits, [.. others, this], _waits, this).RunAsync());

    public void NoteStart() => _capture.Begin();

    public void EndVersion(long version)
    {
    }

    public Task WriteAsync()
    {
        _capture.Sweep(ScheduledWaits.Turn);
        return Task.CompletedTask;
    }

    public Task CompleteAsync()
    {
        _capture.Complete();
        return Task.CompletedTask;
    }

    public CommitRecord Describe(CommitRecord record) => record;

    public void Sync()
    {
    }

    public void OnPhase(CommitPhase phase)
    {
    }

    public void Collect()
    {
        Version = _store.Core.Commits.Current.Version;
        foreach (CommitPoint point in _store.Core.Sessions.Collect(Version))
            Points[int.Parse(point.SessionName!, CultureInfo.InvariantCulture)] = point.SerialNumber;
    }

    public async Task WatchAsync(CommitPhase phase, Task done) => await done.Here();

    public Task PublishAsync() => Task.CompletedTask;

    public void OnFailed(Exception failure)
    {
    }

    private void Keep(RecordCopies copies)
    {
        while (copies.TryTake(out RecordView record))
        {
            (long key, long value) = (BitConverter.ToInt64(record.Key), BitConverter.ToInt64(record.Value));
            Assert.True(Records.TryAdd(key, value), Twice);
        }

        copies.Clear();
    }
}
