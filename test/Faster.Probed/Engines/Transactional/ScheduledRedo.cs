using System.Globalization;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Engines.Transactional.Redo;
using Faster.LogCommits;
using Faster.OperationLogs;
using Faster.Persistence;
using Faster.Tests.Checkpoints;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Journaling;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// A transactional store whose redo log lies in memory, under a controlled scheduler. Clients move money between
/// accounts; afterwards the log is cut at every record, as by a crash: what a recovery makes of it must have the same
/// sum, and all that had been acknowledged when the record was published.
/// </summary>
internal sealed unsafe class ScheduledRedo : IDisposable
{
    public const string SumBroken = "A crash would leave a transaction without what it was built on",
        Lost = "A crash would lose what was acknowledged",
        Differs = "A recovery would not make what is in memory",
        Numbered = "A transaction that ended as conflicted has a number";

    private const int LogBytes = 64 << 10, Accounts = 4;
    private const long Each = 100;
    private const ulong Identity = 7;

    private readonly MemoryRegion _region = new(LogBytes, fencesOnCaller: true);
    private readonly LogSet _logs;
    private readonly TransactionalStore _store;
    private readonly TransactionalSession[] _sessions;
    private readonly List<(int Session, long Serial, int Records)> _acknowledged = [];
    private readonly ScheduledCapture _capture;

    public ScheduledRedo(int sessions, TransactionalOptions? options = null)
    {
        _logs = LogSet.Create(new PersistenceDomain(_region), RedoLogs.Count, Identity);
        var redo = new RedoLogs { RequestCommit = static () => { }, Waits = true };
        redo.Begin(_logs, 0);
        options = (options ?? new()) with { MemoryBudget = TransactionalOptions.MinMemoryBudget };
        _store = new TransactionalOpener<TransactionalStore>(
            options, TransactionCalls.Schema, start => new TransactionalStore(start with { Redo = redo }))
            .Open(null, mustExist: false, null, default);
        _sessions = [.. Enumerable.Range(0, sessions)
            .Select(number => _store.StartSession(number.ToString(CultureInfo.InvariantCulture)))];
        _capture = new ScheduledCapture(_store);
        for (long account = 0; account < Accounts; account++) Put(0, account, Each);
    }

    /// <summary>A scenario of some clients.</summary>
    public Scenario Beside(params Action[] clients) => new(clients, () =>
    {
        Check();
        Dispose();
    });

    /// <summary>Moves money, if there is enough.</summary>
    public TransactionStatus Transfer(int session, long from, long to, long amount)
    {
        long before = _sessions[session].SerialNumber;
        TransactionStatus status = _sessions[session].Run(
            [KeyOf(from), KeyOf(to)], [], new TransactionCalls.LongTransaction(records =>
            {
                if (records.Read<long>(0) < amount) return false;
                records.Write<long>(0) -= amount;
                records.Write<long>(1) += amount;
                return true;
            }));
        bool isConflicted = status == TransactionStatus.Conflicted;
        Assert.True(!isConflicted || _sessions[session].SerialNumber == before, Numbered);
        Acknowledge(session, !isConflicted);
        return status;
    }

    /// <summary>Closes an account whose money another one gets.</summary>
    public void Close(int session, long account, long heir)
    {
        _ = _sessions[session].Run([KeyOf(account), KeyOf(heir)], [], new TransactionCalls.LongTransaction(records =>
        {
            records.Write<long>(1) += records.Read<long>(0);
            records.Delete(0);
            return true;
        }));
        Acknowledge(session, true);
    }

    /// <summary>Moves money in several transactions of one unit.</summary>
    public void TransferInUnit(int session, long serial, params (long From, long To, long Amount)[] all)
    {
        using CommitUnit unit = _sessions[session].BeginUnit(serial);
        foreach ((long from, long to, long amount) in all) _ = Transfer(session, from, to, amount);
        unit.Complete();
        Acknowledge(session, true);
    }

    /// <summary>Sets a balance by an operation on one key, which leaves the sum as it is.</summary>
    public void Touch(int session, long account)
    {
        var add = new ProbedOperations.Add<WordShape>(0, 8);
        _ = _sessions[session].Rmw(KeyOf(account), ref add);
        Acknowledge(session, true);
    }

    /// <summary>Commits the table, so that the log's records of the version do not count any more.</summary>
    public void Commit() => _capture.Run(new Marks(this));

    public void Dispose()
    {
        foreach (TransactionalSession session in _sessions) session.Dispose();
        _store.Dispose();
        _logs.Dispose();
    }

    private LogMark Mark { get; set; }

    private void Put(int session, long key, long value)
    {
        var put = new ProbedOperations.Put<WordShape>(value, 8);
        _ = _sessions[session].Upsert(KeyOf(key), ref put);
    }

    private ChainKey KeyOf(long key) => new(key, new UnmanagedKey<long>(key).Hash(_store.Tier.Seed));

    private void Acknowledge(int session, bool hasNumber)
    {
        if (!hasNumber || _sessions[session].Serials.Unit != 0) return;
        var count = new Counter();
        _ = new LogScan(_region.Pointer, LogBytes, 0, Identity).Read(default, count);
        _acknowledged.Add((session, _sessions[session].SerialNumber, count.Records));
    }

    private void Check()
    {
        var all = new Counter();
        _ = new LogScan(_region.Pointer, LogBytes, 0, Identity).Read(default, all);
        for (int cut = Accounts; cut <= all.Records; cut++)
        {
            var scan = new RedoScan(CommitRecords.Least(0) with { Sessions = [] });
            _ = new LogScan(_region.Pointer, LogBytes, 0, Identity).Read(default, new FirstOnes(scan, cut));
            Assert.True(Apply(scan, []).Values.Sum() == Accounts * Each, SumBroken);
            IReadOnlyList<CommitPoint> points = scan.Points();
            foreach ((int session, long serial, int records) in _acknowledged)
                if (records <= cut) Assert.True(PointOf(points, session) >= serial, Lost);
        }

        // From the commit on, if there was one.
        var last = new RedoScan(CommitRecords.Least(_capture.Version) with { Sessions = [] });
        _ = new LogScan(_region.Pointer, LogBytes, 0, Identity).Read(Mark, last);
        SortedDictionary<long, long> made = Apply(last, _capture.Records);
        Assert.True(made.SequenceEqual(InMemory()), Differs);
    }

    private static long PointOf(IReadOnlyList<CommitPoint> points, int session)
    {
        string name = session.ToString(CultureInfo.InvariantCulture);
        return points.SingleOrDefault(point => point.SessionName == name)?.SerialNumber ?? 0;
    }

    private static SortedDictionary<long, long> Apply(RedoScan scan, Dictionary<long, long> from)
    {
        var state = new SortedDictionary<long, long>(from);
        foreach (nint at in scan.Records())
        {
            LogRecord record = LogRecord.At(at);
            if (record.Kind != LogRecordKind.Transaction) continue;
            for (ReadOnlySpan<byte> changes = record.ValueBytes; changes.Length != 0;)
            {
                RedoChange change = RedoChange.Take(ref changes);
                if (change.IsRemoval) state.Remove(BitConverter.ToInt64(change.Key));
                else state[BitConverter.ToInt64(change.Key)] = BitConverter.ToInt64(change.Value);
            }
        }

        return state;
    }

    private SortedDictionary<long, long> InMemory()
    {
        var state = new SortedDictionary<long, long>();
        for (long account = 0; account < Accounts; account++)
        {
            var get = default(ProbedOperations.Get<WordShape>);
            if (_sessions[0].Read(KeyOf(account), ref get) == Status.Ok) state.Add(account, get.Value);
        }

        return state;
    }

    private sealed class Marks(ScheduledRedo world) : ICommitParticipant
    {
        public void NoteStart() => world.Mark = world._logs.Mark()[0];

        public void EndVersion(long version)
        {
        }

        public CommitRecord Describe(CommitRecord record) => record;

        public void Sync()
        {
        }
    }

    private sealed class Counter : ILogVisitor
    {
        public int Records { get; private set; }

        public void Visit(int log, LogRecord record) => Records++;
    }

    private sealed class FirstOnes(ILogVisitor visitor, int count) : ILogVisitor
    {
        private int _left = count;

        public void Visit(int log, LogRecord record)
        {
            if (_left-- > 0) visitor.Visit(log, record);
        }
    }
}
