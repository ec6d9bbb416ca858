using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Log;
using Faster.Memory;

namespace Faster;

/// <summary>
/// Walks all records of a log in address order, page by page, on disk and in memory (the ground of paper 000 App. F).
/// </summary>
/// <remarks>
/// The log is frozen up to the tail as it was at the start, so that every record below is complete and immutable. A
/// page in memory is copied under an epoch; one on disk is read and verified. Not thread-safe: one walker.
/// </remarks>
public sealed unsafe class LogScan<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly NativeBlock _page;
    private readonly long _end;
    private EpochSlot* _slot;
    private long _next;
    private long _loaded = -1; // the page that lies in the copy
    private byte* _record;

    internal LogScan(EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage)
    {
        _epochs = epochs;
        _log = log;
        _storage = storage;
        _page = new NativeBlock(storage.Geometry.PageStride, hugePages: false);
        _slot = epochs.Acquire("a scan");
        _next = log.BeginAddress;
        _end = log.FreezeToTail();
        var spin = default(SpinWait);
        while (log.SafeFrozenAddress < _end)
        {
            epochs.Drain();
            spin.SpinOnce();
        }
    }

    /// <summary>The current record's address.</summary>
    public long Address { get; private set; }

    /// <summary>Whether the current record says that its key was deleted; its value is nothing then.</summary>
    public bool IsTombstone { get; private set; }

    /// <summary>The current record's key; valid until the next move.</summary>
    public ReadOnlySpan<byte> Key => _log.Layout.Key(_record);

    /// <summary>The current record's value; valid until the next move.</summary>
    public ReadOnlySpan<byte> Value => IsTombstone ? default : _log.Layout.Value(_record);

    /// <summary>Moves to the next record.</summary>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public bool MoveNext()
    {
        ObjectDisposedException.ThrowIf(_slot == null, this);
        while (_next < _end)
        {
            long page = _next >> _log.PageBits;
            long pageEnd = Math.Min((page + 1) << _log.PageBits, _end);
            if (pageEnd - _next < RecordHeader.Size)
            {
                _next = (page + 1) << _log.PageBits;
                continue;
            }

            if (page != _loaded) Load(page);
            byte* record = _page.Pointer + (_next & (_log.PageSize - 1));
            ulong header = RecordHeader.Read(record);
            if (header == 0)
            {
                _next += RecordHeader.Size; // a gap: room that nobody took, or the rest of a page
                continue;
            }

            long left = pageEnd - _next;
            long size = _log.Layout.TrySize(record, left, _log.PageSize);
            if (size < 0 || size > left || (header & RecordHeader.Unknown) != 0) throw _storage.NoRecord(_next, header);
            Address = _next;
            _next += size;
            if ((header & RecordHeader.Invalid) != 0 || _storage.IsAbandoned(Address, header)) continue;
            _record = record;
            IsTombstone = (header & RecordHeader.Tombstone) != 0;
            return true;
        }

        return false;
    }

    /// <summary>Gives back what the scan holds. Idempotent.</summary>
    public void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
        _page.Dispose();
    }

    private void Load(long page)
    {
        long start = page << _log.PageBits;
        _epochs.Enter(_slot);
        bool inMemory = Math.Max(start, PagedLog<TProbe>.FirstAddress) >= _log.HeadAddress;
        if (inMemory) Buffer.MemoryCopy(_log.Pointer(start), _page.Pointer, _page.Bytes, _log.PageSize);
        _epochs.Leave(_slot);
        if (!inMemory) ReadPage(page);
        _loaded = page;
    }

    private void ReadPage(long page)
    {
        BlockGeometry geometry = _storage.Geometry;
        using var request = new PageRead
        {
            Kind = IoKind.Read,
            Offset = geometry.OffsetOfPage(page),
            Length = geometry.PageStride,
            Buffer = _page.Pointer,
        };
        IoRequest io = request;
        _storage.CountRead(request.Length);
        _storage.Device.Submit(new ReadOnlySpan<IoRequest>(ref io));
        request.Wait();
        if (request.Error is not null) throw request.Error;
        _storage.Decode(page * geometry.BlocksPerPage, geometry.BlocksPerPage, _page.Pointer, _page.Pointer);
    }

    private sealed class PageRead : LogRequest, IDisposable
    {
        private readonly ManualResetEventSlim _done = new();

        public void Wait() => _done.Wait();

        public override void OnCompleted() => _done.Set();

        public void Dispose() => _done.Dispose();
    }
}
