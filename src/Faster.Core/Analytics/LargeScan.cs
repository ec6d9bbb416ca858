using System.Buffers;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>
/// Reads the values in chunks that a scan comes by, chunk by chunk, and keeps the log from being truncated above the
/// current one.
/// </summary>
/// <remarks>Not thread-safe: one scan.</remarks>
internal sealed unsafe class LargeScan<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly PageCopy<TProbe> _copy;
    private readonly ReaderGuard? _guard;
    private LogPins.Pin? _pin;
    private LargeHead _head;

    /// <summary>Stands at no value.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="storage">Where it lies.</param>
    /// <param name="guard">Keeps the store in place while a chunk is read; null where the caller does.</param>
    public LargeScan(
        EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage, ReaderGuard? guard = null)
    {
        _guard = guard;
        _log = log;
        _storage = storage;
        _copy = new PageCopy<TProbe>(epochs, log, storage, "a scan of a large value");
    }

    /// <summary>The value's length in bytes.</summary>
    public long Length => _head.Length;

    /// <summary>The lowest address that the value needs.</summary>
    public long Lowest => _head.Lowest;

    /// <summary>Moves to a value.</summary>
    /// <param name="value">What its record holds.</param>
    /// <param name="address">The record's address.</param>
    /// <returns>False: the log has been truncated above a part of it.</returns>
    public bool TryMoveTo(ReadOnlySpan<byte> value, long address)
    {
        Leave();
        _head = LargeHead.Read(value);
        if (!_head.IsSound(address)) throw _storage.NoRecord(address, 0);
        _pin = _log.TryPin(_head.Lowest);
        return _pin is not null;
    }

    /// <summary>Gives the current value up.</summary>
    public void Leave()
    {
        _pin?.Dispose();
        _pin = null;
    }

    /// <summary>Writes the value's bytes.</summary>
    public void CopyTo(IBufferWriter<byte> destination)
    {
        ChunkPlace place = _head.FirstChunk;
        for (long left = _head.Length; left > 0; left -= LengthOfLoaded)
            destination.Write(Load(ref place, left));
    }

    /// <summary>The value's bytes in one piece.</summary>
    /// <exception cref="LimitExceededException">They are more than an array can have.</exception>
    public byte[] ToArray()
    {
        byte[] value = LargeReader<TProbe>.Allocate(Length);
        ChunkPlace place = _head.FirstChunk;
        for (Span<byte> left = value; left.Length > 0; left = left[LengthOfLoaded..])
            Load(ref place, left.Length).CopyTo(left);
        return value;
    }

    private int LengthOfLoaded { get; set; }

    // The bytes of a chunk; moves on to the one behind it.
    private ReadOnlySpan<byte> Load(ref ChunkPlace place, long left)
    {
        long end = place.Address + LargeChunk.Prefix + place.Length;
        bool inOnePage = (end - 1) >> _log.PageBits == place.Address >> _log.PageBits;
        if (place.Length <= 0 || place.Length > left || !inOnePage) throw _storage.NoRecord(place.Address, 0);
        byte* chunk = Load(place.Address, end);
        if (!LargeChunk.TryRead(chunk, place, out ChunkPlace next)) throw _storage.NoRecord(place.Address, 0);
        LengthOfLoaded = place.Length;
        place = next;
        return new ReadOnlySpan<byte>(chunk + LargeChunk.Prefix, LengthOfLoaded);
    }

    private byte* Load(long from, long to)
    {
        _guard?.Enter();
        try
        {
            return _copy.Load(from, to);
        }
        finally
        {
            _guard?.Leave();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Leave();
        _copy.Dispose();
    }
}
