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
    private BlockExtent _extent; // of what is being fetched, as the next three
    private RecordBoundary _from;
    private long _to;
    private bool _isRead;
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
        bool inMemory = TryFromMemory(_epochs, _owner, _log, from, to, _block);
        return inMemory ? _block.Pointer : Read(from, (int)(to - from));
    }

    /// <summary>Copies the bytes between two addresses of one page if it is in memory, in an epoch.</summary>
    /// <returns>False: the page has left memory, and nothing was copied.</returns>
    public static bool TryFromMemory(
        EpochTable<TProbe> epochs, string owner, PagedLog<TProbe> log, long from, long to, NativeBlock block)
    {
        EpochSlot* slot = epochs.Acquire(owner);
        try
        {
            epochs.Enter(slot);
            bool inMemory = log.PageStartOf(from) >= log.HeadAddress;
            if (inMemory) Buffer.MemoryCopy(log.Pointer(from), block.Pointer, block.Bytes, to - from);
            epochs.Leave(slot);
            return inMemory;
        }
        finally
        {
            epochs.Release(slot);
        }
    }

    /// <summary>
    /// Copies what lies between two addresses as far as the first one's page reaches: one turn of a walk through pages.
    /// </summary>
    /// <param name="at">The first address; moves to the next page, or to the end of the walk.</param>
    /// <param name="until">Where the walk ends: at a boundary, too.</param>
    /// <returns>Stands before the first record of the copy, which is valid until the next one.</returns>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    /// <exception cref="StorageException">The device can't be read.</exception>
    public RecordWalker Walk(ref RecordBoundary at, long until)
    {
        RecordBoundary from = at;
        long to = Math.Min(_log.PageEndOf(from.Address), until);
        byte* bytes = Load(from.Address, to);
        at = RecordBoundary.OfTail(to);
        return new RecordWalker(_storage, _log.Layout, bytes, from, to);
    }

    /// <summary>
    /// Begins what <see cref="Walk"/> does, and waits for the device without a thread; <see cref="Fetched"/> ends it.
    /// </summary>
    /// <param name="at">The first address.</param>
    /// <param name="until">Where the walk ends: at a boundary, too.</param>
    public Task FetchAsync(RecordBoundary at, long until)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        (_from, _to) = (at, Math.Min(_log.PageEndOf(at.Address), until));
        _isRead = !TryFromMemory(_epochs, _owner, _log, at.Address, _to, _block);
        if (!_isRead) return Task.CompletedTask;
        _extent = _storage.Geometry.Map(at.Address, (int)(_to - at.Address), _storage.Device.SectorSize);
        var request = new AwaitedRead();
        _storage.BeginRead(request, _extent, _block.Pointer);
        return request.Task;
    }

    /// <summary>What was fetched.</summary>
    /// <param name="end">Where it ends.</param>
    /// <returns>Stands before the first record of the copy, which is valid until the next one.</returns>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    public RecordWalker Fetched(out RecordBoundary end)
    {
        end = RecordBoundary.OfTail(_to);
        byte* bytes = _isRead ? _storage.Decode(_extent, _block.Pointer) : _block.Pointer;
        return new RecordWalker(_storage, _log.Layout, bytes, _from, _to);
    }

    /// <summary>Gives back what it holds. Idempotent.</summary>
    public void Dispose()
    {
        _disposed = true;
        _block.Dispose();
    }

    private byte* Read(long from, int length)
    {
        BlockExtent extent = _storage.Geometry.Map(from, length, _storage.Device.SectorSize);
        using var request = new PageRead();
        _storage.BeginRead(request, extent, _block.Pointer);
        request.Wait();
        if (request.Error is not null) throw request.Error;
        return _storage.Decode(extent, _block.Pointer);
    }

    private sealed class PageRead : LogRequest, IDisposable
    {
        private readonly ManualResetEventSlim _done = new();

        public void Wait() => _done.Wait();

        public override void OnCompleted() => _done.Set();

        public void Dispose() => _done.Dispose();
    }

    private sealed class AwaitedRead : LogRequest
    {
        private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Task => _done.Task;

        public override void OnCompleted()
        {
            if (Error is null) _done.SetResult();
            else _done.SetException(Error);
        }
    }
}
