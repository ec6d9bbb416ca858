using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Reads single records from the device: just the sectors that hold them, as many at once as the buffers allow; the
/// rest queue up.
/// </summary>
/// <remarks>Thread-safe. Completions come on the pump's thread.</remarks>
internal sealed unsafe class LogReader : IDisposable
{
    /// <summary>The bytes first read of a record whose size is not known.</summary>
    public const int FirstGuess = 256;

    private readonly LogStorage _storage;
    private readonly AlignedBufferPool _buffers;
    private readonly Lock _lock = new();
    private readonly Queue<RecordRead> _waiting = new();

    /// <summary>
    /// Makes a reader whose buffers take at most so many bytes, or as many as the largest record needs.
    /// </summary>
    public LogReader(LogStorage storage, RecordLayout layout, long bufferBytes)
    {
        _storage = storage;
        Layout = layout;
        _buffers = new AlignedBufferPool(new ByteSize(Math.Max(bufferBytes, LeastBufferBytes(storage.Geometry))));
    }

    /// <summary>Where key and value lie in a record.</summary>
    public RecordLayout Layout { get; }

    /// <summary>Where records are read from.</summary>
    public LogStorage Storage => _storage;

    /// <summary>Reads the first bytes of a record, or all of it when its size is known.</summary>
    public void Read(RecordRead request, long address) =>
        Read(request, address, Layout.FixedRecordSize != 0 ? Layout.FixedRecordSize : FirstGuess);

    /// <summary>Reads a record up to a length, or to its page's end.</summary>
    public void Read(RecordRead request, long address, int length)
    {
        BlockGeometry geometry = _storage.Geometry;
        int inPage = (int)(address & (geometry.PageBytes - 1));
        request.Address = address;
        request.Available = Math.Min(length, geometry.PageBytes - inPage);
        request.Extent = geometry.Map(address, request.Available, _storage.Device.SectorSize);
        request.Kind = IoKind.Read;
        request.Offset = request.Extent.Offset;
        request.Length = request.Extent.Length;
        request.Error = null;
        lock (_lock)
        {
            if (_waiting.Count != 0 || !TryRent(request))
            {
                _waiting.Enqueue(request);
                return;
            }
        }

        Submit(request);
    }

    /// <summary>Gives a request's buffer back and starts what waited for it.</summary>
    public void Release(RecordRead request)
    {
        _buffers.Return(request.Lent);
        request.Lent = default;
        request.Buffer = null;
        for (;;)
        {
            RecordRead? next;
            lock (_lock)
            {
                if (!_waiting.TryPeek(out next) || !TryRent(next)) return;
                _waiting.Dequeue();
            }

            Submit(next);
        }
    }

    /// <summary>The least bytes of buffers with which every record can be read.</summary>
    public static long LeastBufferBytes(BlockGeometry geometry) =>
        (long)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)geometry.PageStride);

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();

    private bool TryRent(RecordRead request)
    {
        if (!_buffers.TryRent(request.Length, out AlignedBuffer buffer)) return false;
        request.Lent = buffer;
        request.Buffer = buffer.Pointer;
        return true;
    }

    private void Submit(RecordRead request)
    {
        _storage.CountRead(request.Length);
        IoRequest io = request;
        _storage.Device.Submit(new ReadOnlySpan<IoRequest>(ref io));
    }
}
