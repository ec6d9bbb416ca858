using Faster.Checkpoints;
using Faster.Commits;
using Faster.Devices.Blocks;
using Faster.Log;

namespace Faster.Tests.Commits;

/// <summary>Takes part in commits, does nothing, and notes each call; fails where it is told to.</summary>
internal sealed class FakeParticipant(string name, List<string> calls) : ICommitParticipant
{
    /// <summary>The calls that fail, each with what it throws.</summary>
    public Dictionary<string, Exception> Failures { get; } = [];

    public bool HasWork { get; set; }

    public bool Folds { get; init; }

    public bool IsImmutable => true;

    public long BytesWritten { get; init; }

    public bool HasNewIndex { get; init; }

    public IReadOnlyList<SemaphoreSlim> BeginsRising { get; } = [new SemaphoreSlim(1, 1)];

    public WaitGate Gate { get; } = new();

    public Task PrepareAsync(CommitKind kind, bool withIndex) => NoteAsync("prepare");

    public void NoteBegin() => Note("begin");

    public Task CaptureFirstAsync() => NoteAsync("first");

    public void NoteStart() => Note("start");

    public void EndVersion(long version) => Note("end version");

    public Task WriteAsync() => NoteAsync("write");

    public Task FlushAsync() => NoteAsync("flush");

    public CommitRecord Describe(CommitRecord record)
    {
        Note("describe");
        var log = new CommittedLog
        {
            BeginAddress = 64, FlushedUntilAddress = 64, StartAddress = 64, EndAddress = 64,
            Incarnations = [new Incarnation(0, 1)],
        };
        return record.With(new CommittedPart { Name = name, Log = log });
    }

    public void Sync() => Note("sync");

    public void OnPublished(CommitRecord record) => Note("published");

    public void ReleaseSpace() => Note("release");

    public void End() => Note("end");

    public Task CheckpointIndexAsync() => NoteAsync("index");

    private Task NoteAsync(string call)
    {
        Note(call);
        return Task.CompletedTask;
    }

    private void Note(string call)
    {
        calls.Add($"{call} {name}");
        if (Failures.TryGetValue(call, out Exception? failure)) throw failure;
    }
}
