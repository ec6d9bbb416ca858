using System.Runtime.CompilerServices;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log.Records;
using Faster.Memory;

namespace Faster.Log.Reads;

/// <summary>
/// Copies ranges of a log's pages: from memory, under an epoch that ends before the copy is used, or, if the page has
/// been evicted, from the device, verified.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A range lies in one page. A page is evicted only after it has been flushed, so either memory or the device
/// always has it.</item>
/// <item>The immutable part is copied in its final state; a record that is being updated may be copied with half of its
/// new value, but with its header and lengths intact.</item>
/// <item>An epoch slot is held only during a copy: a copier that outlives its store, or is never disposed of, has none
/// to release.</item>
/// </list>
/// <para>One user at a time, outside every epoch; the I/O thread must be running. Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class PageCopy : IDisposable
{
    private readonly EpochTable _epochs;
    private readonly PagedLog _log;
    private readonly LogStorage _storage;
    private readonly NativeBlock? _own;
    private readonly byte* _bytes;
    private readonly string _owner;
    private BlockExtent _extent; // the range of FetchAsync, as the next three
    private RecordBoundary _from;
    private long _to;
    private bool _isRead;
    private bool _disposed;

    /// <summary>Reserves memory for one page.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="owner">The copier's name, for the watchdog.</param>
    public PageCopy(EpochTable epochs, PagedLog log, LogStorage storage, string owner)
        : this(epochs, log, storage, owner, new NativeBlock(storage.Geometry.PageStride)) => _bytes = _own!.Pointer;

    /// <summary>Uses the caller's memory, which must outlive every read.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="owner">The copier's name, for the watchdog.</param>
    /// <param name="memory">As many bytes as a page takes on the device, at a multiple of the largest sector.</param>
    public PageCopy(EpochTable epochs, PagedLog log, LogStorage storage, string owner, byte* memory)
        : this(epochs, log, storage, owner, own: null) => _bytes = memory;

    private PageCopy(EpochTable epochs, PagedLog log, LogStorage storage, string owner, NativeBlock? own) =>
        (_epochs, _log, _storage, _owner, _own) = (epochs, log, storage, owner, own);

    /// <summary>Copies the bytes between two addresses of one page.</summary>
    /// <returns>The copy, valid until the next call.</returns>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    /// <exception cref="StorageException">The device can't be read.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public byte* Load(long from, long to)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        bool inMemory = TryFromMemory(_epochs, _owner, _log, from, to, _bytes);
        return inMemory ? _bytes : Read(from, (int)(to - from));
    }

    /// <summary>Copies the bytes between two addresses of one page if the page is in memory, inside an epoch.</summary>
    /// <returns>False: the page has been evicted, and nothing was copied.</returns>
    public static bool TryFromMemory(EpochTable epochs, string owner, PagedLog log, long from, long to, byte* target)
    {
        Invariant.Check(
            from >= 0 && to > from && to <= log.PageEndOf(from), $"{from} to {to} lie in one page of {log.PageSize}");
        EpochSlot* slot = epochs.Acquire(owner);
        try
        {
            epochs.Enter(slot);
            bool inMemory = log.PageStartOf(from) >= log.HeadAddress;
            if (inMemory) Buffer.MemoryCopy(log.Pointer(from), target, to - from, to - from);
            epochs.Leave(slot);
            return inMemory;
        }
        finally
        {
            epochs.Release(slot);
        }
    }

    /// <summary>
    /// Copies the bytes from an address to the end of its page or of the walk: one step of a walk through pages.
    /// </summary>
    /// <param name="at">The first address; moves to the next page, or to the end of the walk.</param>
    /// <param name="until">The end of the walk, also on a boundary.</param>
    /// <returns>A walker before the first record of the copy; valid until the next copy.</returns>
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
    /// Starts what <see cref="Walk"/> does, and waits for the device without a thread; <see cref="Fetched"/> completes
    /// it.
    /// </summary>
    /// <param name="at">The first address.</param>
    /// <param name="until">The end of the walk, also on a boundary.</param>
    public Task FetchAsync(RecordBoundary at, long until)
    {
        (_from, _to) = (at, Math.Min(_log.PageEndOf(at.Address), until));
        return LoadAsync(at.Address, _to);
    }

    /// <summary>Opens the copy of the last <see cref="FetchAsync"/>.</summary>
    /// <param name="end">The end of the copied range.</param>
    /// <returns>A walker before the first record of the copy; valid until the next copy.</returns>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    public RecordWalker Fetched(out RecordBoundary end)
    {
        end = RecordBoundary.OfTail(_to);
        return new RecordWalker(_storage, _log.Layout, Loaded(), _from, _to);
    }

    /// <summary>
    /// Starts what <see cref="Load"/> does, and waits for the device without a thread; <see cref="Loaded"/> completes
    /// it.
    /// </summary>
    public Task LoadAsync(long from, long to)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        _isRead = !TryFromMemory(_epochs, _owner, _log, from, to, _bytes);
        if (!_isRead) return Task.CompletedTask;
        _extent = _storage.Geometry.Map(from, (int)(to - from), _storage.Device.SectorSize);
        var request = new AwaitedRead();
        _storage.BeginRead(request, _extent, _bytes);
        return request.Task;
    }

    /// <summary>The copy of the last <see cref="LoadAsync"/>, valid until the next one.</summary>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    public byte* Loaded() => _isRead ? _storage.Decode(_extent, _bytes) : _bytes;

    /// <summary>Releases the page's memory, if it is its own. Idempotent.</summary>
    public void Dispose()
    {
        _disposed = true;
        _own?.Dispose();
    }

    private byte* Read(long from, int length)
    {
        BlockExtent extent = _storage.Geometry.Map(from, length, _storage.Device.SectorSize);
        using var request = new PageRead();
        _storage.BeginRead(request, extent, _bytes);
        request.Wait();
        if (request.Error is not null) throw request.Error;
        return _storage.Decode(extent, _bytes);
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
