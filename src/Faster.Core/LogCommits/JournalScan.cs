using System.Runtime.InteropServices;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Log.Records;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Probes;

namespace Faster.LogCommits;

/// <summary>
/// What the operation logs have that a commit lacks: the changes in the order in which they were made, and what is
/// known of the sessions that made them.
/// </summary>
/// <remarks>
/// The logs are read once. Their records stay where they are, until the first append. Not thread-safe.
/// </remarks>
/// <param name="commit">The recovered commit: records of its version and before are part of it.</param>
/// <param name="metadata">The store's, which say how keys lie in records and are hashed.</param>
internal sealed unsafe class JournalScan(CommitRecord commit, StoreMetadata metadata) : IRecoveryScan
{
    private readonly RecordLayout _layout = new(metadata.Schema);
    private readonly List<Change> _changes = [];
    private readonly Dictionary<(uint Life, uint Session, long Serial), (long Found, long Made)> _units = [];
    private readonly HashSet<(long Stripe, long Counter)> _cancelled = [];
    private readonly Dictionary<(uint Life, uint Session), SessionScan> _sessions = [];

    /// <summary>The highest version of a record; at least the commit's.</summary>
    public long MaxVersion { get; private set; } = commit.Version;

    /// <summary>The highest number of a stripe.</summary>
    public long MaxCounter { get; private set; }

    /// <summary>The bytes of the records that the commit lacks.</summary>
    public long Bytes { get; private set; }

    /// <inheritdoc/>
    public void Visit(int log, LogRecord record)
    {
        MaxVersion = Math.Max(MaxVersion, record.Version);
        MaxCounter = Math.Max(MaxCounter, record.Counter);
        if (record.Version <= commit.Version && !(Probe.On && Probe.Has(SeededBug.ReplaysCommitted))) return;
        Bytes += record.Length;
        if (record.IsInUnit && record.Kind != LogRecordKind.UnitEnd) UnitOf(record).Found++;
        switch (record.Kind)
        {
            case LogRecordKind.Cancel:
                ReadOnlySpan<long> which = MemoryMarshal.Cast<byte, long>(record.ValueBytes);
                for (long counter = which[1]; counter <= record.Counter; counter++) _cancelled.Add((which[0], counter));
                break;
            case LogRecordKind.UnitEnd:
                UnitOf(record).Made = record.Counter;
                NoteNumber(record, hash: null);
                break;
            case LogRecordKind.Void:
                NoteNumber(record, hash: null);
                break;
            case LogRecordKind.Put or LogRecordKind.Remove or LogRecordKind.Delta:
                fixed (byte* slot = record.Key)
                {
                    ulong hash = _layout.HashOfSlot(slot, metadata.Seed);
                    _changes.Add(new Change(hash, record.Counter, (nint)record.Pointer));
                    NoteNumber(record, hash);
                }

                break;
        }
    }

    /// <summary>
    /// The changes that must be carried out, in the order of each key: from its last whole value or removal on.
    /// </summary>
    /// <returns>The records' addresses, with the hashes of their keys.</returns>
    public IEnumerable<(ulong Hash, nint Record)> Changes()
    {
        Change[] made = [.. _changes.Where(change => IsWhole(change) && !IsCancelled(change.Hash, change.Counter))];
        Array.Sort(made, static (a, b) => (a.Hash, a.Counter).CompareTo((b.Hash, b.Counter)));
        for (int first = 0, end; first < made.Length; first = end)
        {
            for (end = first + 1; end < made.Length && made[end].Hash == made[first].Hash;) end++;
            for (int i = FirstNeeded(made.AsSpan(first, end - first)) + first; i < end; i++)
                yield return (made[i].Hash, made[i].Record);
        }
    }

    /// <summary>
    /// The points at which named sessions go on: the last durable operation of each, with the operations before it that
    /// are lost.
    /// </summary>
    public IReadOnlyList<CommitPoint> Points()
    {
        Dictionary<string, CommitPoint> points = commit.Sessions.ToDictionary(static point => point.SessionName!);
        foreach (IGrouping<string, SessionScan> lives in _sessions.Values
            .Where(static session => session.Name is not null).GroupBy(static session => session.Name!))
        {
            CommitPoint before = points.GetValueOrDefault(lives.Key) ?? new CommitPoint(lives.Key, 0, commit.Version);
            HashSet<long> durable =
                [.. lives.SelectMany(life => life.Numbers.Where(number => IsDone(life, number)))
                    .Select(static number => number.Serial)];
            long last = Math.Max(before.SerialNumber, durable.DefaultIfEmpty().Max());
            SortedSet<long> lost = [.. before.Excluded];
            foreach (SessionScan life in lives)
            {
                for (long serial = Math.Max(life.OldestOpen, before.SerialNumber + 1); serial <= life.Last; serial++)
                    lost.Add(serial);
            }

            lost.ExceptWith(durable);
            points[lives.Key] = before with
            {
                SerialNumber = last, Excluded = [.. lost.Where(serial => serial <= last)],
            };
        }

        return [.. points.Values];
    }

    // Of changes of one hash: those before the last whole value do not count, if they are of one key.
    private static int FirstNeeded(ReadOnlySpan<Change> changes)
    {
        ReadOnlySpan<byte> key = LogRecord.At(changes[0].Record).Key;
        int first = 0;
        for (int i = 0; i < changes.Length; i++)
        {
            LogRecord record = LogRecord.At(changes[i].Record);
            if (!record.Key.SequenceEqual(key)) return 0;
            if (record.Kind != LogRecordKind.Delta) first = i;
        }

        return first;
    }

    private bool IsWhole(Change change)
    {
        LogRecord record = LogRecord.At(change.Record);
        return !record.IsInUnit || IsWhole((record.Life, record.Session!.Value.Number, record.Session.Value.Serial));
    }

    // The logs end each for itself: the end of a unit may be there, and a record before it not.
    private bool IsWhole((uint Life, uint Session, long Serial) unit) =>
        _units.TryGetValue(unit, out (long Found, long Made) records) && (records.Found == records.Made
            || (Probe.On && Probe.Has(SeededBug.UnitCountIgnored) && records.Made != 0));

    private ref (long Found, long Made) UnitOf(LogRecord record)
    {
        LogRecordSession session = record.Session!.Value;
        return ref CollectionsMarshal.GetValueRefOrAddDefault(
            _units, (record.Life, session.Number, session.Serial), out _);
    }

    // What was cancelled was not done, whatever became of the operation afterwards.
    private bool IsCancelled(ulong? hash, long counter) =>
        hash is { } of && _cancelled.Contains((StripeLocks.Of(of), counter));

    private bool IsDone(SessionScan session, in Number number) => !IsCancelled(number.Hash, number.Counter)
        && (!number.IsInUnit || IsWhole((session.Life, session.Session, number.Serial)));

    private void NoteNumber(LogRecord record, ulong? hash)
    {
        if (record.Session is not { } session) return;
        if (!_sessions.TryGetValue((record.Life, session.Number), out SessionScan? known))
            _sessions.Add((record.Life, session.Number), known = new SessionScan(record.Life, session.Number));
        known.Name ??= record.Name;
        known.Numbers.Add(new Number(session.Serial, record.IsInUnit, hash, record.Counter));
        if (session.Serial < known.Last) return;
        (known.Last, known.OldestOpen) = (session.Serial, session.OldestOpen);
    }

    private readonly record struct Change(ulong Hash, long Counter, nint Record);

    private readonly record struct Number(long Serial, bool IsInUnit, ulong? Hash, long Counter);

    private sealed class SessionScan(uint life, uint session)
    {
        public uint Life => life;

        public uint Session => session;

        public string? Name { get; set; }

        public List<Number> Numbers { get; } = [];

        public long Last { get; set; }

        public long OldestOpen { get; set; } = long.MaxValue;
    }
}
