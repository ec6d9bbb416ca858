using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.LogCommits;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Persistence;
using Faster.Tests.Checkpoints;
using Faster.Tests.Engines;

namespace Faster.Tests.Operations.Journaling;

/// <summary>A store with operation logs whose medium is memory.</summary>
internal sealed class JournaledStore<TShape> : IDisposable
    where TShape : struct, IShape
{
    /// <summary>What a failure says.</summary>
    public const string Differs = "differs from memory", Unpublished = "was seen and is not published";

    /// <summary>What a failure says of a value that a recovery finds.</summary>
    public const string Miscounts = "would be the value after a crash";

    private static readonly StoreMetadata Metadata =
        StoreMetadata.New("test", ScheduledStore<TShape>.Schema, 12, ByteSize.KiB(4)) with { Seed = default };

    private const ulong Identity = 7;
    private const int LogBytes = 8 << 10;

    private readonly MemoryRegion _region;
    private readonly LogSet _logs;

    /// <summary>Makes an empty store.</summary>
    /// <param name="logs">The number of logs.</param>
    /// <param name="sessions">The number of sessions.</param>
    /// <param name="isHeld">Whether syncs are made by a thread of their own, which can be held up.</param>
    /// <param name="readsAwait">Whether reads wait until what they return is durable.</param>
    /// <param name="ownHashes">Whether keys have hashes of their own, although they share an index entry.</param>
    public JournaledStore(
        int logs, int sessions, bool isHeld = false, bool readsAwait = false, bool ownHashes = false)
    {
        _region = new MemoryRegion(logs * LogBytes, !isHeld);
        _logs = LogSet.Create(new PersistenceDomain(_region), logs, Identity);
        var journal = new Journal
        {
            RequestCommit = static () => throw new InvalidOperationException("The logs are too small."),
            ReadsAwait = readsAwait,
        };
        Store = new ScheduledStore<TShape>(
            RecordAllocatorKind.Hybrid, sessions, cached: ownHashes, journal: journal);
        journal.Begin(_logs, 0);
    }

    /// <summary>The store.</summary>
    public ScheduledStore<TShape> Store { get; }

    /// <summary>Signaled where syncs may be made.</summary>
    public ManualResetEventSlim MaySync => _region.MaySync;

    /// <summary>Signaled once a sync has been held up: what a call waits for is published and installed.</summary>
    public ManualResetEventSlim IsHeldUp => _region.IsHeldUp;

    /// <summary>What was read is, or was, a key's value in the logs. Key 1 has one from the beginning.</summary>
    public void AssertPublished(long key, long? value)
    {
        bool mayBeAbsent = key != 1 && value is null;
        if (!mayBeAbsent && !Published(key).ContainsValue(value))
            throw new InvalidOperationException($"Value {value} of key {key} {Unpublished}.");
    }

    /// <summary>A key's last value in the logs is that in memory.</summary>
    public void AssertLastPublished(long key, long? value)
    {
        long? last = Published(key).Values.LastOrDefault();
        if (last != value) throw new InvalidOperationException($"Key {key}: {last} {Differs}, {value}.");
    }

    /// <summary>A recovery that carries out what the logs have gives a key its value in memory.</summary>
    public unsafe void AssertRecovered(long key, long? value)
    {
        var scan = new JournalScan(CommitRecords.Least(0), Metadata);
        for (int log = 0; log < _logs.Count; log++)
            _ = new LogScan(_region.Pointer + (log * LogBytes), LogBytes, log, Identity).Read(default, scan);
        long? found = null;
        foreach ((_, nint at) in scan.Changes())
        {
            LogRecord record = LogRecord.At(at);
            if (BitConverter.ToInt64(record.Key) != key) continue;
            found = record.Kind == LogRecordKind.Remove ? null
                : BitConverter.ToInt64(record.ValueBytes) + (record.Kind == LogRecordKind.Delta ? found ?? 0 : 0);
        }

        if (found != value)
            throw new InvalidOperationException($"{found} {Miscounts} of key {key}, which is {value}.");
    }

    /// <summary>Makes durable what is published.</summary>
    public void Sync() => _logs.Wait(_logs.TakeTicket());

    public void Dispose()
    {
        Store.Dispose();
        _logs.Dispose();
    }

    // In the order of their numbers.
    private unsafe SortedList<long, long?> Published(long key)
    {
        var found = new Values(key);
        for (int log = 0; log < _logs.Count; log++)
            _ = new LogScan(_region.Pointer + (log * LogBytes), LogBytes, log, Identity).Read(default, found);
        return found.ByNumber;
    }

    private sealed class Values(long key) : ILogVisitor
    {
        public SortedList<long, long?> ByNumber { get; } = [];

        public void Visit(int log, LogRecord record)
        {
            if (record.Key.Length == 0 || BitConverter.ToInt64(record.Key) != key) return;
            long? value = record.Kind == LogRecordKind.Remove ? null : BitConverter.ToInt64(record.ValueBytes);
            ByNumber.Add(record.Counter, value);
        }
    }
}
