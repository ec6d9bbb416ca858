using System.Security.Cryptography;
using Faster.Persistence;
using Faster.Probes;

namespace Faster.OperationLogs;

/// <summary>
/// The operation logs of a store, several so that threads append beside each other: a part that knows no engine
/// (paper 001 §2.3; docs/internals/operation-logs.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A ticket covers every record, in whichever log, that was published before it was taken.</item>
/// <item>A record is found after a crash only with the one that it was reserved behind, durable or not.</item>
/// <item>A scan from the marks finds each record whose ticket was durable, whole, in the order of its log, and nothing
/// that was not published by the life that its neighbors are of.</item>
/// </list>
/// <para>Thread-safe, except for <see cref="Dispose"/>, which must be the last call.</para>
/// </remarks>
internal sealed unsafe class LogSet : IDisposable
{
    private const int PartOfLargest = 4;

    private readonly PersistenceDomain _domain;
    private readonly OperationLog[] _logs;
    private readonly long _size;

    private LogSet(PersistenceDomain domain, ulong identity, ReadOnlySpan<LogMark> heads, ReadOnlySpan<LogMark> tails)
    {
        _domain = domain;
        _size = domain.Length / heads.Length;
        _logs = new OperationLog[heads.Length];
        uint life = BitConverter.ToUInt32(RandomNumberGenerator.GetBytes(sizeof(uint)));
        for (int i = 0; i < _logs.Length; i++)
        {
            _logs[i] = new OperationLog(
                i, domain.Pointer, i * _size, _size, identity, life, heads[i].Position, tails[i]);
            domain.Add(_logs[i]);
        }
    }

    /// <summary>The number of logs.</summary>
    public int Count => _logs.Length;

    /// <summary>The largest size of a record in bytes: a quarter of a log.</summary>
    public long LargestRecord => _size / PartOfLargest;

    /// <summary>The bytes of all logs that ordinary appends may use: without an eighth of each.</summary>
    public long Capacity => (_size - (_size / 8)) * Count;

    /// <summary>The bytes of all logs that are not free; not exact beside appends.</summary>
    public long Used
    {
        get
        {
            long used = 0;
            foreach (OperationLog log in _logs) used += log.Used;
            return used;
        }
    }

    /// <summary>The bytes of all logs, in memory and on disk.</summary>
    public long Bytes => _domain.Length;

    /// <inheritdoc cref="PersistenceDomain.Syncs"/>
    public (long Count, TimeSpan Time) Syncs => _domain.Syncs;

    /// <summary>Why nothing is made durable any more; null if all is well.</summary>
    public StorageException? Failure => _domain.Failure;

    /// <summary>Makes empty logs.</summary>
    /// <param name="domain">The domain, of zeros, which the set then owns; their number divides its length.</param>
    /// <param name="count">The number of logs.</param>
    /// <param name="identity">A number that no other set has.</param>
    public static LogSet Create(PersistenceDomain domain, int count, ulong identity)
    {
        var marks = new LogMark[count];
        return new LogSet(domain, identity, marks, marks);
    }

    /// <summary>Opens logs, and reads them from their heads on.</summary>
    /// <param name="domain">The domain, which the set then owns.</param>
    /// <param name="identity">The number with which the set was made.</param>
    /// <param name="heads">For each log, where the scan begins, and below which space is free.</param>
    /// <param name="visitor">Is shown each record.</param>
    /// <exception cref="DamagedDataException">Bytes are damaged that were acknowledged.</exception>
    public static LogSet Open(
        PersistenceDomain domain, ulong identity, ReadOnlySpan<LogMark> heads, ILogVisitor visitor)
    {
        long size = domain.Length / heads.Length;
        var tails = new LogMark[heads.Length];
        for (int i = 0; i < tails.Length; i++)
        {
            var scan = new LogScan(domain.Pointer + (i * size), size, i, identity);
            tails[i] = scan.Read(heads[i], visitor);
            if (scan.FindProofOfDamage(heads[i].Position, tails[i].Position) is not null)
                throw Damaged(domain.Name, (i * size) + (tails[i].Position % size), i);
        }

        return new LogSet(domain, identity, heads, tails);
    }

    /// <summary>
    /// Makes the caller the owner of a log with space for a record, until it publishes the record or lets go. Never
    /// waits.
    /// </summary>
    /// <param name="favorite">The caller's log, any number at first; kept while it has space and no owner.</param>
    /// <param name="bytes">The size of the record, at most <see cref="LargestRecord"/>.</param>
    /// <param name="mayUseReserve">Whether the last eighth of a log may be used.</param>
    /// <param name="reservation">The space.</param>
    /// <param name="behind">
    /// Where a record ends without which this one must not be found after a crash: unless that one is durable, the
    /// space is in its log.
    /// </param>
    public LogSpace TryReserve(
        ref int favorite, long bytes, bool mayUseReserve, out LogReservation reservation, LogPlace behind = default)
    {
        if (!IsDurable(behind) && !(Probe.On && Probe.Has(SeededBug.PredecessorInAnotherLog)))
        {
            LogSpace space = TryReserve(_logs[behind.Log], bytes, mayUseReserve, out reservation);
            if (space != LogSpace.Full) return space;
            _ = TakeTicket(); // when it is durable, any log will do
            return LogSpace.Contended;
        }

        reservation = default;
        bool isContended = false;
        uint first = (uint)favorite % (uint)_logs.Length;
        for (uint i = 0; i < _logs.Length; i++)
        {
            int number = (int)((first + i) % (uint)_logs.Length);
            LogSpace space = TryReserve(_logs[number], bytes, mayUseReserve, out reservation);
            isContended |= space == LogSpace.Contended;
            if (space != LogSpace.Taken) continue;
            favorite = number;
            return LogSpace.Taken;
        }

        return isContended ? LogSpace.Contended : LogSpace.Full;
    }

    /// <summary>Whether all that was published before the call is durable.</summary>
    public bool IsAllDurable
    {
        get
        {
            foreach (OperationLog log in _logs)
                if (!log.IsAllDurable) return false;
            return true;
        }
    }

    /// <summary>Whether the record that ends at a place is durable.</summary>
    public bool IsDurable(LogPlace place) => _logs[place.Log].IsDurable(place.End);

    /// <inheritdoc cref="PersistenceDomain.TakeTicket"/>
    public long TakeTicket() => _domain.TakeTicket();

    /// <inheritdoc cref="PersistenceDomain.IsDurable"/>
    public bool IsDurable(long ticket) => _domain.IsDurable(ticket);

    /// <inheritdoc cref="PersistenceDomain.Wait"/>
    public void Wait(long ticket) => _domain.Wait(ticket);

    /// <inheritdoc cref="PersistenceDomain.SyncAsync"/>
    public ValueTask<long> WaitAsync(long ticket, CancellationToken ct) => _domain.SyncAsync(ticket, ct);

    /// <inheritdoc cref="PersistenceDomain.Notify"/>
    public void Notify(long ticket, IDurableWaiter waiter) => _domain.Notify(ticket, waiter);

    /// <summary>The ends of the logs; waits for records that are being written. Called outside every epoch.</summary>
    public LogMark[] Mark()
    {
        var marks = new LogMark[_logs.Length];
        for (int i = 0; i < marks.Length; i++)
        {
            var spin = new SpinWait();
            while (!_logs[i].TryOwn())
                if (!(Probe.On && Probe.Wait(null))) spin.SpinOnce();
            marks[i] = _logs[i].Mark();
            _logs[i].Release();
        }

        return marks;
    }

    /// <summary>Frees the space below marks: it may be written over from now on.</summary>
    public void RaiseHeads(ReadOnlySpan<LogMark> marks)
    {
        for (int i = 0; i < marks.Length; i++) _logs[i].RaiseHead(marks[i].Position);
    }

    /// <summary>Ends the waits for tickets, and releases the bytes.</summary>
    public void Dispose() => _domain.Dispose();

    private static LogSpace TryReserve(
        OperationLog log, long bytes, bool mayUseReserve, out LogReservation reservation)
    {
        reservation = default;
        if (!log.HasSpace(bytes, mayUseReserve, out _)) return LogSpace.Full;
        if (!log.TryOwn()) return LogSpace.Contended;
        if (!log.HasSpace(bytes, mayUseReserve, out int pad)) // the last owner has used it up
        {
            log.Release();
            return LogSpace.Full;
        }

        reservation = log.Reserve(pad);
        return LogSpace.Taken;
    }

    private static DamagedDataException Damaged(string path, long offset, int log) => new(
        $"Operation log {log} in '{path}' is damaged at byte offset {offset}: what was written there was durable, and "
        + "records behind it are whole. Restore the store from a copy.")
    {
        Path = path, Offset = offset,
    };
}
