using Faster.Checkpoints;
using Faster.LogCommits;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Engines.Transactional.Redo;

/// <summary>
/// What the redo log has that a commit lacks: the transactions in their order, and the last one of each session.
/// </summary>
/// <remarks>
/// <para>A unit that is not whole is left out, and with it all that the same life of the store has published behind its
/// first record: that may have been built on it, and was not acknowledged. What a later life has published is not: it
/// began without them.</para>
/// <para>The log is read once. Its records stay where they are, until the first append. Not thread-safe.</para>
/// </remarks>
/// <param name="commit">The recovered commit: records of its version and before are part of it.</param>
internal sealed class RedoScan(CommitRecord commit) : IRecoveryScan
{
    private readonly List<nint> _records = [];
    private readonly Dictionary<(uint Session, long Serial), int> _openUnits = []; // of the life: where each begins
    private uint _life;

    /// <inheritdoc/>
    public long MaxVersion { get; private set; } = commit.Version;

    /// <inheritdoc/>
    public long MaxCounter => 0;

    /// <inheritdoc/>
    public long Bytes { get; private set; }

    /// <inheritdoc/>
    public void Visit(int log, LogRecord record)
    {
        if (record.Life != _life) EndLife(record.Life);
        MaxVersion = Math.Max(MaxVersion, record.Version);
        if (record.Version <= commit.Version && !(Probe.On && Probe.Has(SeededBug.ReplaysCommitted))) return;
        if (record.IsInUnit)
        {
            LogRecordSession session = record.Session!.Value;
            if (record.Kind == LogRecordKind.UnitEnd) _openUnits.Remove((session.Number, session.Serial));
            else _ = _openUnits.TryAdd((session.Number, session.Serial), _records.Count);
        }

        unsafe
        {
            _records.Add((nint)record.Pointer);
        }

        Bytes += record.Length;
    }

    /// <summary>The records that must be carried out, in their order.</summary>
    public IEnumerable<nint> Records()
    {
        EndLife(0);
        return _records;
    }

    /// <inheritdoc/>
    public IReadOnlyList<CommitPoint> Points()
    {
        EndLife(0);
        Dictionary<string, CommitPoint> points = commit.Sessions.ToDictionary(static point => point.SessionName!);
        var names = new Dictionary<(uint Life, uint Session), string>();
        foreach (nint at in _records)
        {
            LogRecord record = LogRecord.At(at);
            if (record.Session is not { } session) continue;
            if (record.Name is { } first) names.TryAdd((record.Life, session.Number), first);
            if (record.IsInUnit && record.Kind != LogRecordKind.UnitEnd) continue;
            if (!names.TryGetValue((record.Life, session.Number), out string? name)) continue;
            CommitPoint before = points.GetValueOrDefault(name) ?? new CommitPoint(name, 0, commit.Version);
            points[name] = before with { SerialNumber = Math.Max(before.SerialNumber, session.Serial) };
        }

        return [.. points.Values];
    }

    private void EndLife(uint next)
    {
        if (_openUnits.Count != 0)
        {
            int first = _openUnits.Values.Min();
            _records.RemoveRange(first, _records.Count - first);
            _openUnits.Clear();
        }

        _life = next;
    }
}
