using System.Buffers;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Reads;

namespace Faster.Analytics.Scans;

/// <summary>
/// Reads the large values that a scan finds, fragment by fragment, and pins the log so that it is not truncated above
/// the current value's fragments.
/// </summary>
/// <remarks>Not thread-safe: belongs to one scan.</remarks>
internal sealed unsafe class LargeScan : IDisposable
{
    private readonly PagedLog _log;
    private readonly LogStorage _storage;
    private readonly PageCopy _copy;
    private readonly ReaderGuard? _guard;
    private LogPins.Pin? _pin;
    private LargeHead _head;

    /// <summary>Creates a reader without a current value.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log that is scanned.</param>
    /// <param name="storage">The storage of the log.</param>
    /// <param name="guard">Keeps the store open while a fragment is read; null if the caller does.</param>
    public LargeScan(EpochTable epochs, PagedLog log, LogStorage storage, ReaderGuard? guard = null)
    {
        _guard = guard;
        _log = log;
        _storage = storage;
        _copy = new PageCopy(epochs, log, storage, "a scan of a large value");
    }

    /// <summary>The current value's length in bytes.</summary>
    public long Length => _head.Length;

    /// <summary>The lowest address of the current value's fragments.</summary>
    public long Lowest => _head.Lowest;

    /// <summary>Moves to a value and pins its fragments.</summary>
    /// <param name="value">The content of the value slot of the record.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="held">Keeps the log on the device from its address on; or null.</param>
    /// <returns>False if the log has been truncated above a fragment of the value.</returns>
    public bool TryMoveTo(ReadOnlySpan<byte> value, long address, LogPins.Pin? held = null)
    {
        Leave();
        _head = LargeHead.Read(value);
        if (!_head.IsSound(address)) throw _storage.NoRecord(address, 0);
        if (held is not null && _head.Lowest >= held.Address) return true;
        _pin = _log.TryPin(_head.Lowest);
        return _pin is not null;
    }

    /// <summary>Leaves the current value and releases its pin.</summary>
    public void Leave()
    {
        _pin?.Dispose();
        _pin = null;
    }

    /// <summary>Writes the current value's bytes, fragment by fragment.</summary>
    public void CopyTo(IBufferWriter<byte> destination)
    {
        FragmentPlace place = _head.FirstFragment;
        for (long left = _head.Length; left > 0; left -= LengthOfLoaded)
            destination.Write(Load(ref place, left));
    }

    /// <summary>Returns the current value's bytes in one array.</summary>
    /// <exception cref="LimitExceededException">The value is longer than an array can be.</exception>
    public byte[] ToArray()
    {
        byte[] value = LargeReader.Allocate(Length);
        FragmentPlace place = _head.FirstFragment;
        for (Span<byte> left = value; left.Length > 0; left = left[LengthOfLoaded..])
            Load(ref place, left.Length).CopyTo(left);
        return value;
    }

    private int LengthOfLoaded { get; set; }

    // Returns the bytes of a fragment, and advances to the next one.
    private ReadOnlySpan<byte> Load(ref FragmentPlace place, long left)
    {
        long end = place.Address + ValueFragment.Prefix + place.Length;
        bool inOnePage = (end - 1) >> _log.PageBits == place.Address >> _log.PageBits;
        if (place.Length <= 0 || place.Length > left || !inOnePage) throw _storage.NoRecord(place.Address, 0);
        byte* fragment = Load(place.Address, end);
        if (!ValueFragment.TryRead(fragment, place, out FragmentPlace next)) throw _storage.NoRecord(place.Address, 0);
        LengthOfLoaded = place.Length;
        place = next;
        return new ReadOnlySpan<byte>(fragment + ValueFragment.Prefix, LengthOfLoaded);
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
