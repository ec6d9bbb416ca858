using Faster.Caching;
using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.Tests.Log;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Store;

/// <summary>
/// A commit under a controlled scheduler: sessions add powers of two to keys of one chain, each operation its own, so
/// that a value tells which operations are in it; a coordinator passes the phases and captures version v.
/// </summary>
/// <remarks>
/// Protocols, latches, the sessions' views, the log and the order of the steps of commits and of compaction are those
/// that ship. What a commit writes is replaced by a look at the records; what sessions do around an attempt is repeated
/// here (<see cref="ScheduledSessions"/> runs theirs, without a disk).
/// </remarks>
internal sealed unsafe class ScheduledCommit<TShape> : IDisposable
    where TShape : struct, IShape
{
    public const string SeesLaterBegin = "An operation of the commit saw a begin that the commit has not";

    private readonly EpochTable<ScheduledProbe> _epochs = new();
    private readonly ScheduledWaits _waits;
    private readonly GivingUp<ScheduledProbe> _giving;
    private readonly FakePageSink<ScheduledProbe> _sink = new(atOnce: true);
    private readonly CommitState<ScheduledProbe> _commits = new(RecordHeader.FirstVersion, PendingOrder.Strict, 1);
    private readonly HashIndex<ScheduledProbe> _index;
    private readonly HybridLog<ScheduledProbe> _log;
    private readonly ReadCache<ScheduledProbe> _cache;
    private readonly Client[] _clients;
    private readonly long[] _points;
    private Dictionary<long, long>? _captured;
    private long _begin; // as the commit has it

    public ScheduledCommit(int clients)
    {
        _waits = new ScheduledWaits(_epochs);
        _index = new HashIndex<ScheduledProbe>(_epochs, 1);
        var schema = new RecordSchema(8, 8, 8, "key", "number");
        _log = new HybridLog<ScheduledProbe>(_epochs, _sink, new LogShape(schema, default, 12, 8, 0.5));
        _sink.Attach(_log);
        _cache = new ReadCache<ScheduledProbe>(
            _epochs, _index, _log, new CacheShape(new LogShape(schema, default, 12, 4, 1), FilterBytes: 0));
        _giving = new GivingUp<ScheduledProbe>(_log, _waits);
        Seals = new PartSeals<ScheduledProbe>(_epochs, _log);
        _points = new long[clients];
        _clients = new Client[clients];
        for (int i = 0; i < clients; i++) _clients[i] = new Client(this, i);
    }

    /// <summary>What collapses keep from being updated.</summary>
    public PartSeals<ScheduledProbe> Seals { get; }

    /// <summary>The next operation of a client: adds its own power of two to a key.</summary>
    public void Add(int client, long key) => _clients[client].Add(key);

    /// <summary>Sends the only record to disk. Before the threads start.</summary>
    public void Spill()
    {
        _log.FreezeToTail();
        while (_log.HeadAddress <= PagedLog<ScheduledProbe>.FirstAddress)
            if (!_log.TryAllocate(null, 1 << 11, out _)) _epochs.Drain();
    }

    /// <summary>As <see cref="Spill"/>, and from now on reads keep copies.</summary>
    public void SpillBesideCache()
    {
        Spill();
        _cache.SetMemory(4 << 12);
    }

    /// <summary>As <see cref="Spill"/>, and keeps a copy of the record, of a key that client 0 has added to.</summary>
    public void SpillAndCopy(long key)
    {
        SpillBesideCache();
        long own = PagedLog<ScheduledProbe>.FirstAddress;
        EpochSlot* slot = _clients[0].Slot;
        _epochs.Enter(slot);
        ReadOnlySpan<byte> value = _sink.Read(own).Slice(16, 8);
        _cache.Add(new ChainKey(key), ChainKey.OneHash, own, own, value);
        _epochs.Leave(slot);
        Assert.True(Newest() < 0, "No copy was made.");
    }

    /// <summary>Reads a key of a client, from disk if it is there; keeps a copy then.</summary>
    public void Read(int client, long key) => _clients[client].Read(key);

    /// <summary>Compacts the first page, which holds one record of a key, on a client of its own.</summary>
    public void Compact(int client, long key)
    {
        _clients[client].Copy(key, PagedLog<ScheduledProbe>.FirstAddress);
        Truncate();
    }

    /// <summary>Gives up the first page.</summary>
    public void Truncate() => ScheduledWaits.Run(_giving.RunAsync(1 << 12, AtOnce));

    /// <summary>Adds to two keys under one number.</summary>
    public void AddUnit(int client, long first, long second) => _clients[client].AddUnit(first, second);

    /// <summary>As <see cref="Add"/>, but the operation waits for something before it is carried out.</summary>
    public void AddLate(int client, long key) => _clients[client].AddLate(key);

    /// <summary>Commits by a snapshot: passes all phases, and captures what belongs to the version.</summary>
    public void Commit() => Commit(CommitKind.Snapshot);

    /// <summary>Commits by a fold-over: rests when the version is immutable, and captures it afterwards.</summary>
    public void FoldOver() => Commit(CommitKind.FoldOver);

    private void Commit(CommitKind kind)
    {
        var steps = new Steps(this, kind);
        steps.Phases = new CommitPhases<ScheduledProbe>(_commits, _log, _waits, _giving.Rising, steps);
        ScheduledWaits.Run(steps.Phases.RunAsync());
    }

    /// <summary>
    /// The captured state holds every operation up to each client's point and none after; none is lost.
    /// </summary>
    public void Check()
    {
        Dictionary<long, long> all = Capture(ofVersion: false);
        foreach (long key in _clients.SelectMany(client => client.Keys).Distinct())
        {
            long sum = _clients.Sum(client => client.SumOf(key, long.MaxValue)), found = all.GetValueOrDefault(key);
            CommitCheck.Whole(sum, found);
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
            bool sawNone = _clients[i].AbsentUpTo(_points[i]).Any();
            Assert.False(sawNone && _begin <= PagedLog<ScheduledProbe>.FirstAddress, SeesLaterBegin);
        }
    }

    public void Dispose()
    {
        _log.Dispose();
        _cache.Dispose();
        _index.Dispose();
    }

    private static void Wait() => ScheduledWaits.Turn();

    private static Task AtOnce(long address) => Task.CompletedTask; // the sink has flushed it

    private Dictionary<long, long> Capture(bool ofVersion) => ChainCapture.Take(
        _cache.Behind(Newest()), ofVersion ? _begin : _log.BeginAddress, RecordAt, ofVersion ? _commits : null);

    private ReadOnlySpan<byte> RecordAt(long address) => address < _log.HeadAddress
        ? _sink.Read(address)
        : new ReadOnlySpan<byte>(_log.Pointer(address), 24);

    private long Newest() => ChainCapture.Newest(_index);

    private sealed class Steps(ScheduledCommit<TShape> world, CommitKind kind) : ICommitSteps
    {
        private const long Version = RecordHeader.FirstVersion;

        public CommitPhases<ScheduledProbe> Phases { get; set; } = null!;

        public bool IsPoisoned => false;

        public bool IsAnyInUnit => world._clients.Any(static client => Volatile.Read(ref client.Slot->InUnit) != 0);

        public void NoteBegin() => world._begin = world._log.BeginAddress;

        public void OnPhase(CommitPhase phase)
        {
        }

        public void Collect()
        {
            for (int i = 0; i < world._clients.Length; i++)
                world._points[i] = SessionRegistry<ScheduledProbe>.PointOf(world._clients[i].Slot, Version);
        }

        public Task WatchAsync(CommitPhase phase, Task done) => done;

        // As the writer does, but for what it writes.
        public Task CaptureAsync()
        {
            if (kind == CommitKind.FoldOver)
            {
                ScheduledWaits.Run(Phases.FoldAsync(Phases.EndVersion(folds: true)));
                ScheduledWaits.Turn();
                world._captured = world.Capture(ofVersion: true);
            }
            else
            {
                _ = Phases.EndVersion(folds: false);
                ScheduledWaits.Run(Phases.WrittenAsync());
                world._captured = world.Capture(ofVersion: true);
                ScheduledWaits.Run(Phases.RestAsync(frozen: false));
            }

            return Task.CompletedTask;
        }

        public void End()
        {
        }
    }

    private sealed class Client
    {
        private readonly ScheduledCommit<TShape> _world;
        private readonly int _number;
        private readonly Attempt<ScheduledProbe> _attempt;
        private readonly CommitView<ScheduledProbe> _view;
        private readonly List<(long Serial, long Key, long Amount)> _done = [];
        private readonly List<(long Serial, long Key, bool Found)> _looks = [];
        private readonly DiskRecord _disk = new();
        private int _operations;

        public Client(ScheduledCommit<TShape> world, int number)
        {
            _world = world;
            _number = number;
            Slot = world._epochs.Acquire($"client {number}");
            _attempt = new Attempt<ScheduledProbe>(world._index, world._log, world._commits, null, world._cache);
            _view = new CommitView<ScheduledProbe>(world._commits, _attempt);
        }

        public EpochSlot* Slot { get; }

        public IEnumerable<long> Keys => _done.Select(static operation => operation.Key);

        public long SumOf(long key, long point) =>
            _done.Where(operation => operation.Key == key && operation.Serial <= point).Sum(static o => o.Amount);

        public IEnumerable<long> AbsentUpTo(long point) =>
            _looks.Where(look => !look.Found && look.Serial <= point).Select(static look => look.Key);

        public void Add(long key)
        {
            var operation = new ProbedOperations.Add<TShape>(NextAmount(out long amount), 8);
            while (!TryAdd(key, amount, ref operation)) Wait();
        }

        public void AddUnit(long first, long second)
        {
            for (;;)
            {
                Enter();
                bool begun = _view.TryBeginUnit(Slot, Slot->Serial + 1);
                Leave();
                if (begun) break;
                Wait();
            }

            Add(first);
            Add(second);
            Enter();
            _view.EndUnit(Slot);
            Leave();
        }

        public void Read(long key)
        {
            var operation = default(ProbedOperations.Get<TShape>);
            _disk.Clear();
            while (!TryRead(key, ref operation)) Wait();
        }

        public void Copy(long key, long address)
        {
            byte[] value = _world._sink.Read(address).Slice(16, 8).ToArray();
            if (TShape.Merges)
            {
                var collapse = new ProbedCollapse(address, value, isPartial: false, _world.Seals);
                Copy<CollapseProtocol<ScheduledProbe, ProbedCollapse>, ProbedCollapse>(key, collapse);
            }
            else
            {
                var copy = new ProbedOperations.Copy(address, value);
                Copy<ConditionalInsertProtocol<ScheduledProbe, ProbedOperations.Copy>, ProbedOperations.Copy>(
                    key, copy);
            }
        }

        private bool TryRead(long key, ref ProbedOperations.Get<TShape> operation)
        {
            Enter();
            Outcome outcome = _view.Phase switch
            {
                CommitPhase.Rest => Read<AtRest>(key, ref operation),
                CommitPhase.Prepare => _attempt.TryEnterShared(ChainKey.OneHash)
                    ? Read<OfCommit>(key, ref operation)
                    : Outcome.Shift,
                _ => Read<AfterCommit>(key, ref operation),
            };
            bool isOver = outcome <= Outcome.NotFound;
            if (isOver) _looks.Add((_view.Accept(Slot), key, outcome == Outcome.Ok));
            Leave();
            if (outcome == Outcome.OnDisk) Walk(key);
            return isOver;
        }

        private Outcome Read<TMode>(long key, ref ProbedOperations.Get<TShape> operation)
            where TMode : struct, ICommitMode =>
            ReadProtocol<ScheduledProbe, ProbedOperations.Get<TShape>>.TryUnderEpoch<ChainKey, TMode>(
                _attempt, new ChainKey(key), ChainKey.OneHash, ref operation, _disk);

        // What is on disk is whole, and of one key.
        private void Walk(long key)
        {
            long address = _attempt.Wanted;
            ScheduledProbe.Point(ProbePoint.RegionMarker);
            _disk.Clear();
            if (address < _world._log.BeginAddress) return;
            ReadOnlySpan<byte> record = _world._sink.Read(address);
            Assert.Equal(key, BitConverter.ToInt64(record[8..]));
            _disk.SetFound(address, address, record.Slice(16, 8));
        }

        private void Copy<TProtocol, TOperation>(long key, TOperation operation)
            where TProtocol : struct, IProtocol<ScheduledProbe, TOperation>
            where TOperation : struct, IConditionalInsert
        {
            for (;;)
            {
                Enter();
                Outcome outcome = _view.Phase switch
                {
                    CommitPhase.Rest => Copy<TProtocol, TOperation, AtRest>(key, ref operation),
                    CommitPhase.Prepare => _attempt.TryEnterShared(ChainKey.OneHash)
                        ? Copy<TProtocol, TOperation, OfCommit>(key, ref operation)
                        : Outcome.Shift,
                    _ => Copy<TProtocol, TOperation, AfterCommit>(key, ref operation),
                };
                Leave();
                Assert.NotEqual(Outcome.OnDisk, outcome);
                if (outcome <= Outcome.NotFound) return;
                _world._epochs.Drain();
                Wait();
            }
        }

        private Outcome Copy<TProtocol, TOperation, TMode>(long key, ref TOperation operation)
            where TProtocol : struct, IProtocol<ScheduledProbe, TOperation>
            where TOperation : struct, IConditionalInsert
            where TMode : struct, ICommitMode => TProtocol.TryUnderEpoch<ChainKey, TMode>(
                _attempt, new ChainKey(key), ChainKey.OneHash, ref operation, null);

        public void AddLate(long key)
        {
            var operation = new ProbedOperations.Add<TShape>(NextAmount(out long amount), 8);
            Enter();
            long version = _view.Version;
            bool counted = _world._commits.TryAddPending(ChainKey.OneHash, version);
            Assert.True(counted);

            // As in a session: an attempt under the latch decides whether the operation may wait in its place.
            bool mayWait = _view.Phase == CommitPhase.Rest || version != _view.CommittingVersion
                || _attempt.TryEnterShared(ChainKey.OneHash);
            if (mayWait && _view.Phase == CommitPhase.Prepare) mayWait = !MeetsNext(key);
            if (mayWait) _done.Add((_view.Accept(Slot), key, amount));
            else _world._commits.RemovePending(ChainKey.OneHash, version);
            Leave();
            if (!mayWait)
            {
                Add(key, amount, operation);
                return;
            }

            Outcome outcome;
            do
            {
                Wait();
                Enter();
                if (version != _view.Version) _view.WorkAt(version);
                outcome = _view.Phase == CommitPhase.Rest ? Run<AtRest>(key, ref operation)
                    : version == _view.CommittingVersion ? Run<OfCommit>(key, ref operation)
                    : Run<AfterCommit>(key, ref operation);
                if (version != _view.Version) _view.WorkAt(_view.Version);
                if (outcome == Outcome.Ok) _world._commits.RemovePending(ChainKey.OneHash, version);
                Leave();
                if (outcome == Outcome.OnDisk) Walk(key);
                Assert.NotEqual(Outcome.Shift, outcome);
            }
            while (outcome != Outcome.Ok);
        }

        private void Add(long key, long amount, ProbedOperations.Add<TShape> operation)
        {
            while (!TryAdd(key, amount, ref operation)) Wait();
        }

        private bool TryAdd(long key, long amount, ref ProbedOperations.Add<TShape> operation)
        {
            Enter();
            Outcome outcome = _view.Phase switch
            {
                CommitPhase.Rest => TryHit(key, ref operation) ? Outcome.Ok : Run<AtRest>(key, ref operation),
                CommitPhase.Prepare => _attempt.TryEnterShared(ChainKey.OneHash)
                    ? Run<OfCommit>(key, ref operation)
                    : Outcome.Shift,
                _ => Run<AfterCommit>(key, ref operation),
            };
            if (outcome == Outcome.Ok) _done.Add((_view.Accept(Slot), key, amount));
            Leave();
            if (outcome == Outcome.OnDisk) Walk(key);
            return outcome == Outcome.Ok;
        }

        private bool MeetsNext(long key)
        {
            var read = default(ProbedOperations.Get<TShape>);
            return ReadProtocol<ScheduledProbe, ProbedOperations.Get<TShape>>.TryUnderEpoch<ChainKey, OfCommit>(
                _attempt, new ChainKey(key), ChainKey.OneHash, ref read, null) == Outcome.Shift;
        }

        private bool TryHit(long key, ref ProbedOperations.Add<TShape> operation) =>
            RmwProtocol<ScheduledProbe, ProbedOperations.Add<TShape>>.TryHit(
                _attempt, new ChainKey(key), _attempt.Quiet.FindFirst(ChainKey.OneHash), ref operation);

        private Outcome Run<TMode>(long key, ref ProbedOperations.Add<TShape> operation)
            where TMode : struct, ICommitMode =>
            RmwProtocol<ScheduledProbe, ProbedOperations.Add<TShape>>.TryUnderEpoch<ChainKey, TMode>(
                _attempt, new ChainKey(key), ChainKey.OneHash, ref operation, _disk);

        private long NextAmount(out long amount) => amount = 1L << ((_number * 8) + _operations++);

        private void Enter()
        {
            if (EpochTable<ScheduledProbe>.TryEnterQuiet(Slot)) return;
            _world._epochs.Refresh(Slot);
            _view.Refresh(Slot);
        }

        private void Leave()
        {
            _attempt.LeaveBucket();
            _attempt.Unpin();
            _world._epochs.Leave(Slot);
        }
    }
}
