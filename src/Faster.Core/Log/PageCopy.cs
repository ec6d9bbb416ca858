using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Copies stretches of a log's pages: from memory, under an epoch that is left before anybody looks at the copy, or,
/// when the page has left memory, from the device, verified.
/// </summary>
/// <remarks>
/// A page leaves memory only when it has been flushed, so one of the two always has it. What is frozen is copied as it
/// will ever be; a record that is just being updated may be copied with half of its new value, but with its header and
/// lengths. One user at a time, outside every epoch; the pump must be running. An epoch's slot is held for the time of
/// a copy only: a copier that outlives its store, or is forgotten, has none to give back.
/// </remarks>
internal sealed unsafe class PageCopy<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly NativeBlock _block;
    private readonly string _owner;
    private bool _disposed;

    /// <summary>Reserves room for one page.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="storage">Where it lies on the device.</param>
    /// <param name="owner">Who copies, for the watchdog.</param>
    public PageCopy(EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage, string owner)
    {
        _epochs = epochs;
        _log = log;
        _storage = storage;
        _owner = owner;
        _block = new NativeBlock(storage.Geometry.PageStride, hugePages: false);
    }

    /// <summary>Copies the bytes between two addresses of one page.</summary>
    /// <returns>The copy: valid until the next call.</returns>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    /// <exception cref="StorageException">The device can't be read.</exception>
    public byte* Load(long from, long to)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        return TryCopy(from, to) ? _block.Pointer : Read(from, (int)(to - from));
    }

    /// <summary>Gives back what it holds. Idempotent.</summary>
    public void Dispose()
    {
        _disposed = true;
        _block.Dispose();
    }

    private bool TryCopy(long from, long to)
    {
        long start = from >> _log.PageBits << _log.PageBits;
        EpochSlot* slot = _epochs.Acquire(_owner);
        try
        {
            _epochs.Enter(slot);
            bool inMemory = Math.Max(start, PagedLog<TProbe>.FirstAddress) >= _log.HeadAddress;
            if (inMemory) Buffer.MemoryCopy(_log.Pointer(from), _block.Pointer, _block.Bytes, to - from);
            _epochs.Leave(slot);
            return inMemory;
        }
        finally
        {
            _epochs.Release(slot);
        }
    }

    private byte* Read(long from, int length)
    {
        BlockExtent extent = _storage.Geometry.Map(from, length, _storage.Device.SectorSize);
        using var request = new PageRead
        {
            Kind = IoKind.Read,
            Offset = extent.Offset,
            Length = extent.Length,
            Buffer = _block.Pointer,
        };
        IoRequest io = request;
        _storage.CountRead(request.Length);
        _storage.Device.Submit(new ReadOnlySpan<IoRequest>(ref io));
        request.Wait();
        if (request.Error is not null) throw request.Error;
        _storage.Decode(extent.FirstBlock, extent.BlockCount, _block.Pointer + extent.BlocksAt, _block.Pointer);
        return _block.Pointer + extent.Skip;
    }

    private sealed class PageRead : LogRequest, IDisposable
    {
        private readonly ManualResetEventSlim _done = new();

        public void Wait() => _done.Wait();

        public override void OnCompleted() => _done.Set();

        public void Dispose() => _done.Dispose();
    }
}
