using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Devices;
using Faster.Log;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Store;

/// <summary>
/// A store with its sessions under a controlled scheduler, and commits of it: entry, retry, batches and the registry
/// are those that ship. Each operation adds a power of two of its own, so that a value tells which operations are in
/// it.
/// </summary>
/// <remarks>
/// Nothing goes to disk: the store's I/O thread, which the scheduler does not know, has nothing to do. Only what a
/// commit writes is replaced, by a look at the records.
/// </remarks>
internal sealed unsafe class ScheduledSessions : ICommitSteps, IDisposable
{
    private static readonly StoreOptions Options = new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4), Device = new NullDevice(),
    };

    private readonly FasterStore<ScheduledProbe> _store;
    private readonly PagedLog<ScheduledProbe> _log;
    private readonly CommitPhases<ScheduledProbe> _phases;
    private readonly FasterSession<ScheduledProbe>[] _sessions;
    private readonly List<(long Serial, long Key, long Amount)>[] _done;
    private readonly long[] _points;
    private Dictionary<long, long>? _captured;

    public ScheduledSessions(int sessions)
    {
        _store = FasterStore<ScheduledProbe>.OpenAsync(
            null, Options, new RecordSchema(8, 8, 8, "key", "number"), CancellationToken.None)
            .AsTask().GetAwaiter().GetResult();
        _store.UnitTick = TimeSpan.Zero; // the scheduler's turn before it is the wait
        _log = (PagedLog<ScheduledProbe>)_store.Log;
        _phases = new CommitPhases<ScheduledProbe>(
            _store.Commits, _log, new ScheduledWaits(_store.Epochs), _store.Garbage!.Truncation.Rising, this);
        _points = new long[sessions];
        _done = new List<(long, long, long)>[sessions];
        _sessions = new FasterSession<ScheduledProbe>[sessions];
        for (int i = 0; i < sessions; i++) (_sessions[i], _done[i]) = (_store.StartSession(), []);
    }

    bool ICommitSteps.IsAnyInUnit => _store.Sessions.FindInUnit() is not null;

    bool ICommitSteps.IsPoisoned => false;

    /// <summary>The next operation of a session: adds its own power of two to a key.</summary>
    public void Add(int session, long key)
    {
        ProbedOperations.Add<WordShape> operation = Next(session, out long amount);
        Status status = _sessions[session].Rmw(new ChainKey(key), ref operation);
        Assert.True(status <= Status.NotFound, $"{status}");
        _done[session].Add((_sessions[session].SerialNumber, key, amount));
    }

    /// <summary>Adds to some keys by a batch, under one number or one each.</summary>
    public void AddBatch(int session, bool asOne, params long[] keys)
    {
        long before = _sessions[session].SerialNumber;
        var amounts = new long[keys.Length];
        for (int i = 0; i < keys.Length; i++) _ = Next(session, out amounts[i], ahead: i);
        var batch = new Batch(keys, amounts);
        _sessions[session].RmwBatch<ChainKey, ProbedOperations.Add<WordShape>, Batch>(
            ref batch, asOne ? before + 1 : null);
        for (int i = 0; i < keys.Length; i++)
            _done[session].Add((asOne ? before + 1 : before + 1 + i, keys[i], amounts[i]));
    }

    /// <summary>Commits by a snapshot: passes all phases, and captures what belongs to the version.</summary>
    public void Commit() => ScheduledWaits.Run(_phases.RunAsync());

    /// <summary>The captured state holds every operation up to each session's point and none after; none is lost.
    /// </summary>
    public void Check()
    {
        Dictionary<long, long> all = Take(null);
        foreach (long key in _done.SelectMany(static list => list).Select(static one => one.Key).Distinct())
        {
            long sum = 0, expected = 0;
            for (int i = 0; i < _done.Length; i++)
            {
                sum += SumOf(i, key, long.MaxValue);
                expected += SumOf(i, key, _points[i]);
            }

            CommitCheck.Whole(sum, all.GetValueOrDefault(key));
            CommitCheck.Prefix(expected, _captured!.GetValueOrDefault(key));
        }
    }

    void ICommitSteps.NoteBegin()
    {
    }

    void ICommitSteps.OnPhase(CommitPhase phase) => _store.PendingMemory.OnPhase();

    void ICommitSteps.Collect()
    {
        foreach ((SessionEntry<ScheduledProbe> entry, CommitPoint point)
            in _store.Sessions.Collect(RecordHeader.FirstVersion))
            _points[Array.IndexOf(_sessions, entry.Holder)] = point.SerialNumber;
    }

    Task ICommitSteps.WatchAsync(CommitPhase phase, Task done) => done;

    Task ICommitSteps.CaptureAsync()
    {
        _ = _phases.EndVersion(folds: false);
        ScheduledWaits.Run(_phases.WrittenAsync());
        _captured = Take(_store.Commits);
        ScheduledWaits.Run(_phases.RestAsync(frozen: false));
        return Task.CompletedTask;
    }

    void ICommitSteps.End()
    {
    }

    public void Dispose() => _store.Dispose();

    private Dictionary<long, long> Take(CommitState<ScheduledProbe>? commits) => ChainCapture.Take(
        ChainCapture.Newest(_store.Index), PagedLog<ScheduledProbe>.FirstAddress,
        address => new ReadOnlySpan<byte>(_log.Pointer(address), 24), commits);

    private long SumOf(int session, long key, long point) =>
        _done[session].Where(one => one.Key == key && one.Serial <= point).Sum(static one => one.Amount);

    private ProbedOperations.Add<WordShape> Next(int session, out long amount, int ahead = 0) =>
        new(amount = 1L << ((session * 16) + _done[session].Count + ahead), 8);

    private readonly struct Batch(long[] keys, long[] amounts) : IBatch<ChainKey, ProbedOperations.Add<WordShape>>
    {
        public int Count => keys.Length;

        public ChainKey GetKey(int index) => new(keys[index]);

        public ProbedOperations.Add<WordShape> GetOperation(int index) => new(amounts[index], 8);

        public void SetResult(int index, Status status, ref ProbedOperations.Add<WordShape> operation) =>
            Assert.True(status <= Status.NotFound, $"{status}");
    }
}
