using Faster.Invariants;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Operations.Journaling;

/// <summary>
/// A session as the operation logs know it: a number, a name, and which of its operations are not durable yet.
/// </summary>
/// <remarks>
/// <para>A recovery must say which operations of a session are lost: the numbers after the last durable one are, and so
/// are those before it whose records a crash has cut off, which no later record shows by itself, since reads take
/// numbers too. So each record says from which number on operations may be lost (<see cref="OldestOpen"/>): all below
/// are durable, were reads, or have failed.</para>
/// <para>Thread-safe: a short lock. <see cref="MustName"/> is called by the owner of the log.</para>
/// </remarks>
/// <param name="number">Its number, which no other session of this opening has.</param>
/// <param name="name">Its name; null for a session that is not continued.</param>
internal sealed class JournalSession(uint number, string? name)
{
    private readonly Lock _lock = new();
    private readonly Queue<long> _open = new();      // in the order in which they were issued
    private readonly HashSet<long> _closed = [];     // of these, but not the first
    private readonly long[] _namedIn = name is null ? [] : new long[LogPlace.MostLogs]; // by log: the version
    private long _unit, _unitRecords, _floor;

    /// <summary>What records call it.</summary>
    public uint Number => number;

    /// <summary>Its name, or null.</summary>
    public string? Name => name;

    /// <summary>
    /// Whether a record must bring the session's name: it is the first of the session's in the log of its version. A
    /// scan begins where no record of the version is below, so it meets the name first. Called by the log's owner.
    /// </summary>
    public bool MustName(int log, long version)
    {
        if (name is null || _namedIn[log] == version) return false;
        _namedIn[log] = version;
        return true;
    }

    /// <summary>Notes an operation that is accepted and may end after later ones.</summary>
    public void Open(long serial)
    {
        if (name is null) return;
        lock (_lock) _open.Enqueue(serial);
    }

    /// <summary>Notes that an operation is durable, or has failed.</summary>
    public void Close(long serial)
    {
        if (name is null) return;
        lock (_lock)
        {
            _closed.Add(serial);
            while (_open.TryPeek(out long first) && _closed.Remove(first)) _open.Dequeue();
            Invariant.Check(_closed.Count <= _open.Count, $"operation {serial} was open before it was closed");
        }
    }

    /// <summary>Notes that all operations below a number are durable, or have failed.</summary>
    public void RaiseFloor(long serial)
    {
        lock (_lock) _floor = serial;
    }

    /// <summary>Counts a record of a unit.</summary>
    public void CountInUnit(long serial)
    {
        lock (_lock) (_unit, _unitRecords) = (serial, _unit == serial ? _unitRecords + 1 : 1);
    }

    /// <summary>How many records a unit has.</summary>
    public long RecordsOf(long serial)
    {
        lock (_lock) return _unit == serial ? _unitRecords : 0;
    }

    /// <summary>
    /// The first number from which on operations may not be durable: at most <paramref name="serial"/>.
    /// </summary>
    public long OldestOpen(long serial)
    {
        if (name is null || (Probe.On && Probe.Has(SeededBug.OpenNumbersForgotten))) return serial;
        lock (_lock) return _open.TryPeek(out long first) ? Math.Min(Math.Max(first, _floor), serial) : serial;
    }
}
