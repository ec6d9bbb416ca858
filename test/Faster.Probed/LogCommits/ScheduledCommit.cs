using System.Globalization;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Engines;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.LogCommits;
using Faster.Operations;
using Faster.Operations.Merging;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;
using Faster.Tests.Scheduling;
using Faster.Threads;

namespace Faster.Tests.LogCommits;

/// <summary>
/// Commits of a store under a controlled scheduler, beside its sessions: each operation adds a power of two of its own,
/// all keys lie in one chain, and a value tells which operations are in it.
/// </summary>
/// <remarks>
/// Sessions, batches, what waits for the disk, the store's I/O thread, the order of the steps of commits and of
/// truncations are those that ship (<see cref="ScheduledHost"/>). What a commit writes is a model, a look at the
/// records, for the writer's files and tasks are no steps of shared memory; so is which records a compaction copies.
/// </remarks>
internal sealed partial class ScheduledCommit<TShape> : IDisposable
    where TShape : struct, IShape
{
    public const string SeesLaterBegin = "An operation of the commit saw a begin that the commit has not";
    public const string NotStamped = "The record of an update has an older version";

    private const int RecordSize = 24;
    private const long First = PagedLog.FirstAddress, SecondPage = 1 << ScheduledHost.PageBits;

    private readonly ScheduledHost _host;
    private readonly FasterStore _store;
    private readonly TruncationSteps _steps;
    private readonly Client[] _clients;
    private readonly long[] _points;
    private readonly HashSet<ulong> _putHashes = [];
    private Dictionary<long, long>? _captured;
    private bool _isRefused; // the commit, for a failed unit
    private long _begin; // as the commit has it

    public ScheduledCommit(int clients, bool hasQueues = true)
    {
        _host = new ScheduledHost(new RecordSchema(8, 8, 8, "key", "number"), hasQueues);
        _store = _host.Store;
        _steps = new TruncationSteps(_host.Log, _host.Waits);
        HeldDeltas = new HeldDeltas(_store.Epochs, _store.Log);
        _points = new long[clients];
        _clients = new Client[clients];
        for (int i = 0; i < clients; i++) _clients[i] = new Client(this, i);
    }

    /// <summary>What collapses keep from being updated.</summary>
    public HeldDeltas HeldDeltas { get; }

    /// <summary>A scenario of some clients and a commit, which must hold an exact prefix of each.</summary>
    public Scenario Beside(Action commit, params Action[] clients) => Scenario(Check, [.. clients, commit]);

    /// <summary>A scenario with a check of its own.</summary>
    public Scenario Scenario(Action check, params Action[] clients) => new(
        _host.Threads(clients),
        () =>
        {
            foreach (Client client in _clients) client.Complete();
            check();
            Dispose();
        });

    /// <summary>The next operation of a client: adds its own power of two to a key.</summary>
    public void Add(int client, long key)
    {
        AddLate(client, key);
        _clients[client].Complete();
    }

    /// <summary>As <see cref="Add"/>, but what waits for the disk is left to itself.</summary>
    public void AddLate(int client, long key) => _clients[client].Add(key);

    /// <summary>
    /// The next operation of a client: adds its own power of two to a key that no other client has, by a blind update.
    /// Such a key has a chain of its own.
    /// </summary>
    public void Put(int client, long key) => _clients[client].Put(key, ChainKey.OneHash ^ ((ulong)key << 50));

    /// <summary>A blind update of a key of the common chain, after which no sum holds.</summary>
    public void Overwrite(int client, long key) => _clients[client].Put(key, ChainKey.OneHash);

    /// <summary>Adds to some keys by a batch, under one number or one each.</summary>
    public void AddBatch(int client, bool asOne, params long[] keys) => _clients[client].AddBatch(asOne, keys);

    /// <summary>Adds to some keys in a unit, which is left half-way or completed.</summary>
    public void AddUnit(int client, bool completes, params long[] keys) => _clients[client].AddUnit(completes, keys);

    /// <summary>Reads a key, from disk if it is there; keeps a copy then.</summary>
    public void Read(int client, long key) => _clients[client].Read(key);

    /// <summary>
    /// Lets every client's session note its epoch as quiet, so that its next operation may be a hit. Before the threads
    /// start.
    /// </summary>
    public unsafe void Settle()
    {
        foreach (Client client in _clients)
        {
            Assert.True(client.Session.Runner.EnterQuiet(out EpochSlot* slot));
            _store.Epochs.Leave(slot);
        }
    }

    /// <summary>Sends everything to disk. Before the threads start.</summary>
    public void Spill() => _host.Spill();

    /// <summary>As <see cref="Spill"/>, and from now on reads keep copies.</summary>
    public void SpillBesideCache()
    {
        Spill();
        _store.Cache!.SetMemory(ScheduledHost.Pages << ScheduledHost.PageBits);
    }

    /// <summary>As <see cref="Spill"/>, and keeps a copy of the record of a key.</summary>
    public void SpillAndCopy(long key)
    {
        SpillBesideCache();
        Read(0, key);
        Assert.True(Newest() < 0, "No copy was made.");
    }

    /// <summary>Compacts the first page, which holds one record of a key, on a client of its own.</summary>
    public void Compact(int client, long key)
    {
        _clients[client].Copy(key, First);
        Truncate();
    }

    /// <summary>Truncates the first page.</summary>
    public void Truncate() => ScheduledWaits.Run(_steps.RunAsync(SecondPage, _host.FlushedAsync));

    /// <summary>Commits by a snapshot: passes all phases, and captures what belongs to the version.</summary>
    public void Commit() => Commit(CommitKind.Snapshot);

    /// <summary>Commits by a fold-over: rests when the version is immutable, and captures it afterwards.</summary>
    public void FoldOver() => Commit(CommitKind.FoldOver);

    /// <summary>
    /// The captured state holds every operation up to each client's point and none after; none is lost. Nothing is
    /// captured if a unit had failed before.
    /// </summary>
    public void Check()
    {
        Dictionary<long, long> all = Capture(ofVersion: false);
        foreach (long key in _clients.SelectMany(client => client.Keys).Distinct())
        {
            long sum = _clients.Sum(client => client.SumOf(key, long.MaxValue)), found = all.GetValueOrDefault(key);
            CommitCheck.Whole(sum, found);
            if (_isRefused) continue;
            long expected = 0;
            for (int i = 0; i < _clients.Length; i++) expected += _clients[i].SumOf(key, _points[i]);
            CommitCheck.Prefix(expected, _captured!.GetValueOrDefault(key));
        }
    }

    /// <summary>What a client has seen truncated before its point, the commit has truncated, too.</summary>
    public void CheckTruncated()
    {
        for (int i = 0; i < _clients.Length; i++)
        {
            bool sawNone = _clients[i].HasSeenNoneUpTo(_points[i]);
            Assert.False(sawNone && _begin <= First, SeesLaterBegin);
        }
    }

    /// <summary>No update is lost, and the newest record has the store's version: an increment would have it.</summary>
    public void CheckStamped()
    {
        CommitCheck.Whole(_clients.Sum(client => client.SumOf(1, long.MaxValue)), Capture(ofVersion: false)[1]);
        ulong header = BitConverter.ToUInt64(_host.Record(Newest(), RecordSize));
        byte version = RecordHeader.CodeOf(_store.Commits.Current.Version);
        Assert.True(RecordHeader.VersionCode(header) == version, NotStamped);
    }

    public void Dispose() => _host.Dispose();

    private void Commit(CommitKind kind)
    {
        var phases = new CommitPhases(
            _store.Commits, [new Log(this, folds: kind == CommitKind.FoldOver)], _host.Waits, new Steps(this));
        try
        {
            ScheduledWaits.Run(phases.RunAsync());
        }
        catch (FasterException e) when (e.Reason == ErrorReason.UnitFailed)
        {
            _isRefused = true;
        }
    }

    private Dictionary<long, long> Capture(bool ofVersion)
    {
        Dictionary<long, long> all = Capture(ChainKey.OneHash, ofVersion);
        foreach (ulong hash in _putHashes)
            foreach ((long key, long value) in Capture(hash, ofVersion)) all.Add(key, value);
        return all;
    }

    private Dictionary<long, long> Capture(ulong hash, bool ofVersion) => ChainCapture.Take(
        _store.Cache!.Behind(ChainCapture.Newest(_store.Index, hash)), ofVersion ? _begin : _host.Log.BeginAddress,
        address => _host.Record(address, RecordSize), ofVersion ? _host.Log.NextVersionStart : long.MaxValue);

    private long Newest() => ChainCapture.Newest(_store.Index);

    // As the one of a store, but for what is written: a look at the records.
    private sealed class Log(ScheduledCommit<TShape> world, bool folds) : ICommitParticipant
    {
        private readonly LogVersion _captured = new(world._host.Log);

        public IReadOnlyList<SemaphoreSlim> BeginsRising => [world._steps.Rising];

        public WaitGate Gate => world._host.Log.Gate;

        public bool Folds => folds;

        public bool IsImmutable => _captured.IsImmutable;

        public void NoteBegin()
        {
            _captured.NoteBegin();
            world._begin = _captured.BeginAddress;
        }

        public void NoteStart() => _captured.NoteStart();

        public void EndVersion(long version) => _captured.End(folds);

        public Task WriteAsync()
        {
            world._captured = world.Capture(ofVersion: true);
            return Task.CompletedTask;
        }

        public Task FlushAsync()
        {
            ScheduledWaits.Turn();
            world._captured = world.Capture(ofVersion: true);
            return Task.CompletedTask;
        }

        public CommitRecord Describe(CommitRecord record) => record;

        public void Sync() { }
    }

    private sealed class Steps(ScheduledCommit<TShape> world) : ICommitSteps
    {
        private readonly CommitHost _told = new(world._store.Core, world._store.OnPhase, null, static _ => { });

        public bool IsAnyInUnit => world._store.Core.Sessions.FindInUnit() is not null;

        public void OnPhase(CommitPhase phase) => _told.OnPhase(phase);

        public void Collect()
        {
            foreach (CommitPoint point in world._store.Core.Sessions.Collect(RecordHeader.FirstVersion))
                world._points[int.Parse(point.SessionName!, CultureInfo.InvariantCulture)] = point.SerialNumber;
        }

        public async Task WatchAsync(CommitPhase phase, Task done)
        {
            await done.Here();
            if (phase == CommitPhase.Prepare) world._store.Core.Sessions.ThrowIfUnitFailed();
        }

        public Task PublishAsync() => Task.CompletedTask;

        public void OnFailed(Exception failure) { }
    }
}
