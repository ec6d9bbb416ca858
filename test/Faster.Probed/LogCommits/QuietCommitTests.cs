using Faster.Commits;
using Faster.Contracts;
using Faster.Engines;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.LogCommits;

/// <summary>Which operations are hits while a commit runs, and after it.</summary>
public sealed class QuietCommitTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public QuietCommitTests() => Probe.Current = new PhaseProbe();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task No_operation_is_a_hit_before_the_commit_points() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        using FasterSession session = Begin(store), other = store.StartSession();
        using var held = new HeldPhase(store, CommitPhase.Prepare);
        Task<Commit> commit = store.CommitAsync(CommitKind.Snapshot);
        held.Meanwhile(() =>
        {
            Assert.Equal(5, other.Get(1)); // its first operation, whereas the epoch of rest may still be current
            Assert.False(IsQuiet(other));
        });
        _ = await commit;
    });

    [Theory]
    [InlineData((int)CommitPhase.InProgress)]
    [InlineData((int)CommitPhase.WaitPending)]
    [InlineData((int)CommitPhase.WaitFlush)]
    [InlineData((int)CommitPhase.Resume)]
    public Task After_them_reads_are_hits_and_updates_of_the_next_version(int phase) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        using FasterSession session = Begin(store);
        using var held = new HeldPhase(store, (CommitPhase)phase);
        Task<Commit> commit = store.CommitAsync(CommitKind.Snapshot);
        held.Meanwhile(() =>
        {
            Assert.Equal(5, session.Get(1));
            Assert.True(IsQuiet(session));
            Assert.False(IsUpdatedByHits(session, 1));
            if (phase == (int)CommitPhase.Resume) return; // no record is copied
            session.Put(1, 6);
            Assert.True(IsQuiet(session));
            Assert.True(IsUpdatedByHits(session, 1));
            Assert.False(IsUpdatedByHits(session, 2));
            session.Put(1, 7);
            Assert.Equal(7, session.Get(1));
        });
        _ = await commit;
    });

    [Fact]
    public Task The_first_update_of_a_record_after_a_commit_is_a_hit_that_stamps_it() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        using FasterSession session = Begin(store);
        _ = await store.CommitAsync(CommitKind.Snapshot);
        Assert.Equal(5, session.Get(1));
        Assert.True(IsUpdatedByHits(session, 1));
        Assert.Equal(RecordHeader.CodeOf(1), VersionOf(session, 1));
        session.Put(1, 6);
        Assert.Equal(RecordHeader.CodeOf(2), VersionOf(session, 1));
        Assert.Equal(RecordHeader.CodeOf(1), VersionOf(session, 2));
    });

    private static FasterSession Begin(FasterStore store)
    {
        FasterSession session = store.StartSession();
        session.Put(1, 5);
        session.Put(2, 5);
        return session;
    }

    private static unsafe bool IsQuiet(FasterSession session) => session.Slot->Quiet == session.Core.Epochs.Current;

    private static unsafe bool IsUpdatedByHits(FasterSession session, long key)
    {
        QuietView* view = QuietView.Of(session.Slot);
        return view->TryFind(HashOf(session, key), updates: true, out byte* record, out _)
            && view->IsUpdatable(RecordHeader.Read(record), partly: false)
            && view->IsUpdatable(record, Key(key), partly: false);
    }

    private static unsafe byte VersionOf(FasterSession session, long key)
    {
        Assert.True(QuietView.Of(session.Slot)->TryFind(
            HashOf(session, key), updates: false, out byte* record, out _));
        return RecordHeader.VersionCode(RecordHeader.Read(record));
    }

    private static ulong HashOf(FasterSession session, long key) => Key(key).Hash(session.Attempt.Tier.Seed);

    private async Task<FasterStore> Open() => await FasterStore.OpenAsync(
        _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, Schema, CancellationToken.None);
}
