using Faster.Invariants;
using Faster.Persistence;
using Faster.Probes;

namespace Faster.OperationLogs;

/// <summary>
/// One log: records in a ring of bytes, which have one owner at a time from the reservation of space to the publication
/// (paper 001 §2.3).
/// </summary>
/// <remarks>
/// <para>Positions count bytes since the log was made and never repeat. Invariants:</para>
/// <list type="bullet">
/// <item>durable ≤ collected ≤ tail, and head ≤ tail ≤ head + size. From head to tail lie whole records.</item>
/// <item>Only the owner writes bytes, and only from the tail on, below head + size; only the owner moves the tail,
/// after the record is whole. Only a fence moves <c>collected</c> and <c>durable</c>, and fences run one at a
/// time.</item>
/// <item>The head rises only to a position that a durable commit names, so what is written over is never needed.</item>
/// </list>
/// <para>Proof that a sync takes whole records only: it reads the tail after its number has risen, the owner moves the
/// tail by a store with release after the record's bytes. What lies above is not taken, though a sector of it may be
/// written along: it has no successor that a scan would accept, and is written again when it is published.</para>
/// <para>Thread-safe: <see cref="Publish"/> and <see cref="Release"/> are the owner's, <see cref="Collect"/> and
/// <see cref="OnFenced"/> the fence's.</para>
/// </remarks>
internal sealed unsafe class OperationLog : IFlushSource
{
    private const int PartOfReserve = 8; // of the space, for what a commit waits for

    private readonly byte* _bytes;
    private readonly long _offset;  // in the region
    private readonly long _size;
    private readonly ulong _identity;
    private readonly uint _life;
    private long _head, _tail, _collected, _durable;
    private uint _checksum;         // of the last record
    private int _owner;

    /// <summary>Makes a log that continues at a mark.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="region">The first byte of the region.</param>
    /// <param name="offset">Where in the region the log's bytes begin.</param>
    /// <param name="size">How many there are.</param>
    /// <param name="identity">The identity of the set of logs.</param>
    /// <param name="life">The number of this life of the store.</param>
    /// <param name="head">Below it the space is free.</param>
    /// <param name="tail">Where it continues.</param>
    public OperationLog(
        int number, byte* region, long offset, long size, ulong identity, uint life, long head, LogMark tail)
    {
        (Number, _offset, _size, _identity, _life) = (number, offset, size, identity, life);
        _bytes = region + offset;
        (_head, _checksum) = (head, tail.Checksum);
        _tail = _collected = _durable = tail.Position;
    }

    /// <summary>Its number in the set.</summary>
    public int Number { get; }

    /// <summary>The bytes that are not free.</summary>
    public long Used => Volatile.Read(ref _tail) - Volatile.Read(ref _head);

    /// <summary>Whether the log may have space for a record; exact for its owner.</summary>
    /// <param name="bytes">The size of the record.</param>
    /// <param name="mayUseReserve">Whether the last eighth counts.</param>
    /// <param name="pad">The bytes that must be filled before it, so that it does not cross the end.</param>
    public bool HasSpace(long bytes, bool mayUseReserve, out int pad)
    {
        long tail = Volatile.Read(ref _tail), rest = _size - (tail % _size);
        pad = rest < bytes ? (int)rest : 0;
        Probe.Point(ProbePoint.LogReserve);
        long free = _size - (tail - Volatile.Read(ref _head));
        if (Probe.On && Probe.Has(SeededBug.SpaceBeforeHead)) free = _size;
        return pad + bytes <= free - (mayUseReserve ? 0 : _size / PartOfReserve);
    }

    /// <summary>Makes the caller the owner, unless another thread is.</summary>
    public bool TryOwn()
    {
        Probe.Point(ProbePoint.LogReserve);
        if (Probe.On && Probe.Has(SeededBug.OwnerNotAlone)) return true;
        return Volatile.Read(ref _owner) == 0 && Interlocked.CompareExchange(ref _owner, 1, 0) == 0;
    }

    /// <summary>The owner's space at the tail, behind a pad.</summary>
    public LogReservation Reserve(int pad) => new(this, _bytes + ((_tail + pad) % _size), pad);

    /// <summary>Whether a record that ends at a position is durable.</summary>
    public bool IsDurable(long end) => Volatile.Read(ref _durable) >= end;

    /// <summary>Whether all that was published before the call is durable.</summary>
    public bool IsAllDurable => IsDurable(Volatile.Read(ref _tail));

    /// <summary>Publishes the record that the owner has written, and ends the ownership.</summary>
    /// <returns>Where it ends.</returns>
    public LogPlace Publish(byte* pointer, int pad)
    {
        long at = _tail;
        if (pad >= LogRecord.HeaderBytes) Seal(LogRecord.Pad(_bytes + (at % _size), pad), at);
        at += pad;
        LogRecord record = LogRecord.At((nint)pointer);
        Invariant.DebugCheck(pointer == _bytes + (at % _size), $"a record is published at the tail, {at}");
        bool isEarly = Probe.On && Probe.Has(SeededBug.PublishBeforeSeal);
        if (isEarly) Volatile.Write(ref _tail, at + record.Length);
        Probe.Point(ProbePoint.LogPublish);
        Seal(record, at);
        Probe.Point(ProbePoint.LogPublish);
        at += record.Length;
        Volatile.Write(ref _tail, at);
        Release();
        return new LogPlace(Number, at);
    }

    /// <summary>Ends the ownership.</summary>
    public void Release()
    {
        Probe.Point(ProbePoint.LogPublish);
        Volatile.Write(ref _owner, 0);
    }

    /// <summary>The owner's mark of the tail.</summary>
    public LogMark Mark() => new(_tail, _checksum);

    /// <summary>Frees the space below a position.</summary>
    public void RaiseHead(long position)
    {
        Probe.Point(ProbePoint.HeadRaise);
        Invariant.Check(
            position >= _head && position <= Volatile.Read(ref _tail),
            $"the head of log {Number} rises within it: {position}, from {_head}, below {_tail}");
        Volatile.Write(ref _head, position);
    }

    /// <inheritdoc/>
    public void Collect(List<FlushedRange> ranges)
    {
        Probe.Point(ProbePoint.Fence);
        long tail = Volatile.Read(ref _tail);
        long from = Math.Max(_collected, tail - _size); // a lap may lie between two fences if heads rise
        if (Probe.On && Probe.Has(SeededBug.FenceForgetsLog) && Number != 0) return;
        _collected = tail;
        if (from == tail) return;
        long begin = from % _size, end = begin + (tail - from);
        ranges.Add(new FlushedRange(_offset + begin, _offset + Math.Min(end, _size)));
        if (end > _size) ranges.Add(new FlushedRange(_offset, _offset + end - _size));
    }

    /// <inheritdoc/>
    public void OnFenced() => Volatile.Write(ref _durable, _collected);

    private void Seal(LogRecord record, long at)
    {
        bool ignoresLap = Probe.On && Probe.Has(SeededBug.ChecksumIgnoresLap);
        uint seed = LogRecord.SeedOf(_identity, Number, ignoresLap ? at % _size : at);
        _checksum = record.Seal(_checksum, _life, at - Volatile.Read(ref _durable), seed);
    }
}
