using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Commits;

/// <summary>Commits of parts that belong to no store: one record, one sync each, and what a failure leaves.</summary>
public sealed class CommitCoordinatorTests : IDisposable
{
    private const ulong Store = 77;

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly CommitCatalog _catalog;
    private readonly CommitState _state = new(version: 1, PendingOrder.Strict, stripes: 16);
    private readonly List<string> _calls = [];
    private readonly Host _host = new();
    private readonly FakeParticipant[] _parts;
    private readonly CommitCoordinator _coordinator;

    public CommitCoordinatorTests()
    {
        _files = FolderFiles.OpenFolder(_folder.Path);
        _catalog = new CommitCatalog(_files, Store);
        _parts =
        [
            new("hot", _calls) { BytesWritten = 3 }, new("cold", _calls) { BytesWritten = 4, HasNewIndex = true },
        ];
        _coordinator = new CommitCoordinator(
            _state, new StepWaits(new EpochTable()), _parts,
            new CommitPublisher(_files, _catalog, _host.OnFault), _host, _host, TimeProvider.System, recovered: null);
    }

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task All_parts_are_synced_before_one_record_names_them()
    {
        Commit commit = await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false);
        Assert.Equal((1, 7, true), (commit.Version, commit.BytesWritten, commit.HasNewIndex));
        CommitRecord record = _catalog.ReadNewest(false, [])!;
        Assert.Equal(["hot", "cold"], record.Parts.Select(static part => part.Name));
        Assert.Equal((1234, "session"), (record.Clock, record.Sessions.Single().SessionName));
        Assert.Equal(["prepare hot", "prepare cold"], _calls[..2]);
        string[] published =
        [
            "describe hot", "describe cold", "sync hot", "sync cold", "published hot", "published cold", "release hot",
            "release cold", "end hot", "end cold",
        ];
        Assert.Equal(published, _calls[^10..]);
        Assert.Equal(["durable", "points", "committed"], _host.Told);
    }

    [Fact]
    public async Task Requests_that_wait_while_the_coordinator_closes_are_answered()
    {
        Task<Commit>[] waiting = [];
        Task closed = Task.CompletedTask;
        _host.Committed = () =>
        {
            _host.HasWork = false;
            waiting =
            [
                _coordinator.RequestAsync(CommitKind.FoldOver, withIndex: false),
                _coordinator.RequestAsync(CommitKind.Incremental, withIndex: false),
            ];
            closed = _coordinator.CloseAsync();
        };
        _ = await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false);
        await closed;
        foreach (Task<Commit> commit in waiting) Assert.True((await commit).WasEmpty);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false));
    }

    [Fact]
    public async Task With_nothing_to_do_the_last_commit_is_returned_unless_a_part_has_work()
    {
        _ = await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false);
        _host.HasWork = false;
        Assert.True((await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false)).WasEmpty);
        _parts[1].HasWork = true;
        Assert.True(_coordinator.HasWork);
        Assert.Equal(2, (await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false)).Version);
    }

    [Theory]
    [InlineData("prepare")]
    [InlineData("index")]
    [InlineData("write")]
    [InlineData("sync")]
    public async Task A_sync_that_failed_is_the_last_one_and_sessions_see_it(string call)
    {
        _parts[1].Failures.Add(call, new StorageException("The disk is gone."));
        Task failing = call == "index"
            ? _coordinator.CheckpointIndexAsync()
            : _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false);
        await Assert.ThrowsAsync<StorageException>(() => failing);
        Assert.True(_state.Current.IsPoisoned);
        Assert.Equal(CommitPhase.Rest, _state.Current.Phase);
        _parts[1].Failures.Clear();
        var refused = await Assert.ThrowsAsync<StorageException>(
            () => _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false));
        Assert.Contains("poisoned", refused.Message, StringComparison.Ordinal);
        Assert.Empty(_catalog.Versions());
    }

    [Theory]
    [InlineData("prepare")]
    [InlineData("write")]
    [InlineData("sync")]
    public async Task A_violated_invariant_publishes_nothing_and_poisons_the_store(string call)
    {
        _parts[1].Failures.Add(call, new InvariantException("a part is where it was", "CommitCoordinatorTests"));
        await Assert.ThrowsAsync<InvariantException>(
            () => _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false));
        Assert.True(_state.Current.IsPoisoned);
        Assert.Empty(_catalog.Versions());
        _parts[1].Failures.Clear();
        var refused = await Assert.ThrowsAsync<StorageException>(
            () => _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false));
        Assert.Contains("a part is where it was", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("prepare")]
    [InlineData("write")]
    [InlineData("sync")]
    public async Task A_commit_that_failed_otherwise_leaves_nothing_and_the_next_one_is_made(string call)
    {
        _parts[0].Failures.Add(call, new StorageException("The disk is full.") { MayRetry = true });
        await Assert.ThrowsAsync<StorageException>(
            () => _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false));
        Assert.False(_state.Current.IsPoisoned);
        Assert.Contains("end hot", _calls);
        Assert.Empty(_catalog.Versions());
        Assert.Single(_host.Faults);
        _parts[0].Failures.Clear();
        long version = (await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false)).Version;
        Assert.Equal(call == "prepare" ? 1 : 2, version);
        Assert.Equal([version], _catalog.Versions());
    }

    [Fact]
    public async Task Space_that_could_not_be_given_back_harms_no_commit()
    {
        _parts[0].Failures.Add("release", new StorageException("The file is in use.") { MayRetry = true });
        _ = await _coordinator.RequestAsync(CommitKind.Snapshot, withIndex: false);
        Assert.Single(_host.Faults);
        Assert.Contains("committed", _host.Told);
    }

    private sealed class Host : ICommitHost, ICommitSessions
    {
        public List<string> Told { get; } = [];

        public List<Exception> Faults { get; } = [];

        public long Clock => 1234;

        public bool HasWork { get; set; } = true;

        public void OnPhase(CommitPhase phase) { }

        public void OnDurable(Commit commit, CommitRecord record) => Told.Add("durable");

        /// <summary>Runs when a commit is done, before the next one begins.</summary>
        public Action Committed { get; set; } = static () => { };

        public void OnCommitted(Commit commit)
        {
            Told.Add("committed");
            Committed();
        }

        public void OnFault(Exception fault) => Faults.Add(fault);

        public (string? Name, long SerialNumber)? FindInUnit() => null;

        public void ThrowIfUnitFailed() { }

        public CommitPoint[] Collect(long version) => [new("session", 5, version), new(null, 6, version)];

        public void OnCommitted(long version, Action<Exception> onFault) => Told.Add("points");
    }
}
