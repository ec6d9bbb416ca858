using Faster.Devices;
using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>A stretch of one page on its way from the device: several reads into one buffer.</summary>
/// <remarks>One owner at a time: the stream that reads, then the thread that it gives the stretch to.</remarks>
internal sealed unsafe class PageLoad
{
    private readonly LogStorage _storage;
    private readonly IoRequest[] _reads;
    private readonly byte* _buffer;
    private readonly int _readBytes;
    private BlockExtent _extent;
    private int _outstanding;

    /// <summary>Makes a load over a buffer of a page's size on the device.</summary>
    /// <param name="storage">Where the log lies.</param>
    /// <param name="buffer">The buffer.</param>
    /// <param name="readBytes">The size of one read, a multiple of the largest sector.</param>
    public PageLoad(LogStorage storage, byte* buffer, int readBytes)
    {
        _storage = storage;
        _buffer = buffer;
        _readBytes = readBytes;
        _reads = new IoRequest[(storage.Geometry.PageStride + readBytes - 1) / readBytes];
        for (int i = 0; i < _reads.Length; i++) _reads[i] = new Read(this) { Kind = IoKind.Read };
    }

    /// <summary>The first address.</summary>
    public long From { get; private set; }

    /// <summary>The first address after it.</summary>
    public long To { get; private set; }

    /// <summary>Why a read failed, if one did.</summary>
    public Exception? Error { get; private set; }

    /// <summary>The load that a request of it belongs to.</summary>
    public static PageLoad Of(IoRequest request) => ((Read)request).Load;

    /// <summary>Starts the reads of a stretch.</summary>
    public void Start(long from, long to)
    {
        Device device = _storage.Device;
        (From, To, Error) = (from, to, null);
        _extent = _storage.Geometry.Map(from, (int)(to - from), device.SectorSize);
        _outstanding = 0;
        for (int at = 0; at < _extent.Length; at += _readBytes)
        {
            IoRequest read = _reads[_outstanding++];
            read.Offset = _extent.Offset + at;
            read.Length = Math.Min(_readBytes, _extent.Length - at);
            read.Buffer = _buffer + at;
            read.Error = null;
            _storage.CountRead(read.Length);
        }

        device.Submit(_reads.AsSpan(0, _outstanding));
    }

    /// <summary>Takes one of the reads back.</summary>
    /// <returns>Whether it was the last one.</returns>
    public bool Finish(IoRequest read)
    {
        Error ??= read.Error;
        return --_outstanding == 0;
    }

    /// <summary>Verifies what was read.</summary>
    /// <returns>The bytes of the stretch.</returns>
    /// <exception cref="DamagedDataException">A block is damaged.</exception>
    public byte* Decode() => _storage.Decode(_extent, _buffer);

    private sealed class Read(PageLoad load) : IoRequest
    {
        public PageLoad Load { get; } = load;
    }
}
