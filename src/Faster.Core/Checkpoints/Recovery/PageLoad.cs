using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;

namespace Faster.Checkpoints.Recovery;

/// <summary>A part of one page, or all of it, that is read from the device: several reads into one buffer.</summary>
/// <remarks>One owner at a time: the stream that reads, then the thread to which it hands the load.</remarks>
internal sealed unsafe class PageLoad
{
    private readonly LogStorage _storage;
    private readonly IORequest[] _reads;
    private readonly byte* _buffer;
    private readonly int _readBytes;
    private BlockExtent _extent;
    private int _outstanding;

    /// <summary>Makes a load over a buffer.</summary>
    /// <param name="storage">The log's storage.</param>
    /// <param name="buffer">The buffer.</param>
    /// <param name="bytes">The size of the buffer: what the largest range takes on the device.</param>
    /// <param name="readBytes">The size of one read, a multiple of the largest sector.</param>
    public PageLoad(LogStorage storage, byte* buffer, int bytes, int readBytes)
    {
        _storage = storage;
        _buffer = buffer;
        _readBytes = readBytes;
        _reads = new IORequest[(bytes + readBytes - 1) / readBytes];
        for (int i = 0; i < _reads.Length; i++) _reads[i] = new Read(this) { Kind = IOKind.Read };
    }

    /// <summary>The first address that is read.</summary>
    public long From { get; private set; }

    /// <summary>The first address behind those that are read.</summary>
    public long To { get; private set; }

    /// <summary>The error of a read that failed, or null.</summary>
    public Exception? Error { get; private set; }

    /// <summary>The load that a request belongs to.</summary>
    public static PageLoad Of(IORequest request) => ((Read)request).Load;

    /// <summary>Starts the reads of a range within one page.</summary>
    public void Start(long from, long to)
    {
        Device device = _storage.Device;
        (From, To, Error) = (from, to, null);
        _extent = _storage.Geometry.Map(from, (int)(to - from), device.SectorSize);
        _outstanding = 0;
        for (int at = 0; at < _extent.Length; at += _readBytes)
        {
            IORequest read = _reads[_outstanding++];
            read.Offset = _extent.Offset + at;
            read.Length = Math.Min(_readBytes, _extent.Length - at);
            read.Buffer = _buffer + at;
            read.Error = null;
            _storage.CountRead(read.Length);
        }

        device.SubmitTyped(_reads.AsSpan(0, _outstanding));
    }

    /// <summary>Accounts for a completed read.</summary>
    /// <returns>Whether it was the last one of the load.</returns>
    public bool Finish(IORequest read)
    {
        Error ??= read.Error;
        return --_outstanding == 0;
    }

    /// <summary>Verifies the blocks that were read.</summary>
    /// <returns>The bytes of the range.</returns>
    /// <exception cref="DamagedDataException">A block is damaged.</exception>
    public byte* Decode() => _storage.Decode(_extent, _buffer);

    /// <summary>Verifies the blocks that were read, and copies the bytes of the range.</summary>
    /// <exception cref="DamagedDataException">A block is damaged.</exception>
    public void DecodeTo(byte* destination) => _storage.DecodeTo(_extent, _buffer, destination, (int)(To - From));

    private sealed class Read(PageLoad load) : IORequest
    {
        public PageLoad Load { get; } = load;
    }
}
