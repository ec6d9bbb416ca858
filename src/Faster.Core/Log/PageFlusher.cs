using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Writes immutable pages to the device: encodes them part by part into a few buffers and submits these, so that
/// flushing costs a bounded amount of memory and overlaps with everything else.
/// </summary>
/// <remarks>
/// The pump's thread runs <see cref="TryStep"/> and the completions; other threads only hand pages over and look at
/// failures. A part that could not be written is kept, encoded as it is, until it is tried again: nothing is lost, the
/// page stays in memory, and those who wait for its frame are told why.
/// </remarks>
internal sealed unsafe class PageFlusher<TProbe> : IPageSink, IDisposable
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan RetryPatience = TimeSpan.FromMilliseconds(900);

    private readonly LogStorage _storage;
    private readonly int _blocksPerPart;
    private readonly NativeBlock _buffers;
    private readonly ConcurrentQueue<long> _pages = new();
    private readonly Stack<Part> _idle = new();
    private readonly List<Part> _failed = [];
    private readonly Dictionary<long, int> _partsLeft = [];
    private PagedLog<TProbe>? _log;
    private long _page = -1;
    private int _nextBlock;
    private StorageException? _failure;
    private long _attempts;
    private bool _retry;

    /// <summary>Makes a flusher with a number of buffers.</summary>
    /// <param name="storage">Where pages go.</param>
    /// <param name="partBytes">The size of one write, a multiple of 4096.</param>
    /// <param name="parts">How many writes may be under way at once.</param>
    public PageFlusher(LogStorage storage, int partBytes, int parts)
    {
        _storage = storage;
        partBytes = Math.Min(partBytes, storage.Geometry.PageStride);
        _blocksPerPart = partBytes / BlockFormat.BlockSize;
        _buffers = new NativeBlock((long)partBytes * parts, hugePages: false);
        for (int i = 0; i < parts; i++)
            _idle.Push(new Part(this, _buffers.Pointer + ((long)i * partBytes)));
    }

    /// <inheritdoc/>
    public bool HasFailed => Volatile.Read(ref _failure) is not null;

    /// <summary>Names the log whose pages these are.</summary>
    public void Attach(PagedLog<TProbe> log) => _log = log;

    /// <inheritdoc/>
    public void Flush(long page)
    {
        _pages.Enqueue(page);
        _storage.Device.Wake();
    }

    /// <inheritdoc/>
    public void ThrowIfFailedAgain()
    {
        if (!HasFailed) return;
        long attempt = Volatile.Read(ref _attempts);
        Volatile.Write(ref _retry, true);
        _storage.Device.Wake();
        _log!.Gate.Wait(() => Volatile.Read(ref _attempts) != attempt || !HasFailed, RetryPatience);
        if (Volatile.Read(ref _failure) is { } failure) throw Unwritable(failure);
    }

    /// <summary>
    /// Throws if the last write failed, and has it tried again without waiting for the outcome: the pump's own thread,
    /// which is to try, can't wait for itself.
    /// </summary>
    public void ThrowIfFailed()
    {
        if (Volatile.Read(ref _failure) is not { } failure) return;
        Volatile.Write(ref _retry, true);
        throw Unwritable(failure);
    }

    /// <summary>Starts what can be started. Called by the pump's thread.</summary>
    /// <returns>Whether a write was submitted.</returns>
    public bool TryStep()
    {
        if (_failed.Count != 0 && Interlocked.Exchange(ref _retry, false))
        {
            Part[] again = [.. _failed];
            _failed.Clear();
            foreach (Part part in again) Submit(part);
            return true;
        }

        if (_failed.Count != 0 || _idle.Count == 0) return false;
        if (_page < 0)
        {
            if (!_pages.TryDequeue(out _page))
            {
                _page = -1;
                return false;
            }

            _nextBlock = 0;
            int blocks = _storage.Geometry.BlocksPerPage;
            _partsLeft[_page] = (blocks + _blocksPerPart - 1) / _blocksPerPart;
        }

        EncodeAndSubmit(_idle.Pop());
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();

    private StorageException Unwritable(StorageException failure) => new(
        $"The log can't be written to {_storage.Device.Name}, and its memory is full: {failure.Message} "
        + "Nothing is lost: the records wait in memory. Mend the cause (free space, for one) and call again.", failure)
    {
        MayRetry = true,
    };

    private void EncodeAndSubmit(Part part)
    {
        BlockGeometry geometry = _storage.Geometry;
        int blocks = Math.Min(_blocksPerPart, geometry.BlocksPerPage - _nextBlock);
        long from = (long)_nextBlock * BlockFormat.Payload;
        long bytes = Math.Clamp(geometry.PageBytes - from, 0, (long)blocks * BlockFormat.Payload);
        long first = (_page * geometry.BlocksPerPage) + _nextBlock;
        byte* page = _log!.Pointer(_page << geometry.PageBits);
        BlockFormat.Encode(_storage.Seal, first, page + from, (int)bytes, part.Buffer, blocks);
        part.Page = _page;
        part.Offset = first * BlockFormat.BlockSize;
        part.Length = blocks * BlockFormat.BlockSize;
        _nextBlock += blocks;
        if (_nextBlock == geometry.BlocksPerPage) _page = -1;
        Submit(part);
    }

    private void Submit(Part part)
    {
        part.Error = null;
        IoRequest request = part;
        _storage.Device.Submit(new ReadOnlySpan<IoRequest>(ref request));
    }

    private void OnWritten(Part part)
    {
        Interlocked.Increment(ref _attempts);
        if (part.Error is { } error)
        {
            _failed.Add(part);
            Volatile.Write(ref _failure, error as StorageException ?? new StorageException(error.Message, error));
            _log!.Gate.Open();
            return;
        }

        _storage.CountWrite(part.Length);
        _idle.Push(part);
        if (_failed.Count == 0) Volatile.Write(ref _failure, null);
        if (--_partsLeft[part.Page] != 0) return;
        _partsLeft.Remove(part.Page);
        _log!.OnFlushed(part.Page);
    }

    private sealed class Part : LogRequest
    {
        private readonly PageFlusher<TProbe> _flusher;

        public Part(PageFlusher<TProbe> flusher, byte* buffer)
        {
            _flusher = flusher;
            Buffer = buffer;
            Kind = IoKind.Write;
        }

        public long Page { get; set; }

        public override void OnCompleted() => _flusher.OnWritten(this);
    }
}
