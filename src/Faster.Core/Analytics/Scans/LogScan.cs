using System.Buffers;
using System.ComponentModel;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Expiry;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.Analytics.Scans;

/// <summary>
/// Reads all records of a log in address order, page by page, on disk and in memory (the basis of paper 000 App. F).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every record that is returned is complete and immutable: the scan first shifts the read-only address to the
/// tail.</item>
/// <item>Pages in memory are copied under an epoch; pages on disk are read and verified.</item>
/// <item>Between two calls it keeps the log on the device from where it began, whatever is truncated, until it is
/// disposed of, and nothing else of the store: if the store is closed, reads of further pages fail.</item>
/// </list>
/// <para>Not thread-safe: one user.</para>
/// </remarks>
internal sealed unsafe class LogScan : IDisposable
{
    private readonly EpochTable _epochs;
    private readonly PagedLog _log;
    private readonly LogStorage _storage;
    private readonly PageCopy _page;
    private readonly ReaderGuard _guard;
    private readonly LogPins.Pin _pin;
    private readonly long _end;
    private readonly StoreClock? _clock;
    private long _now = long.MinValue;
    private RecordWalker _walker;
    private LargeScan? _large;
    private byte[]? _gathered;
    private RecordBoundary _next;
    private bool _disposed;

    internal LogScan(
        EpochTable epochs, PagedLog log, LogStorage storage, StoreClock? clock = null,
        ReaderGuard? guard = null)
    {
        _clock = clock;
        _epochs = epochs;
        _log = log;
        _storage = storage;
        _guard = guard ?? new ReaderGuard();
        _guard.Enter();
        try
        {
            _pin = ScannedLogs.Pin(log);
            _next = log.WalkStartOf(_pin.Address);
            _end = log.ShiftReadOnlyToTail();
            var spin = default(SpinWait);
            while (log.SafeImmutableAddress < _end)
            {
                epochs.Drain();
                spin.SpinOnce();
            }
        }
        catch
        {
            _pin?.Dispose();
            throw;
        }
        finally
        {
            _guard.Leave();
        }

        _page = new PageCopy(epochs, log, storage, "a scan");
    }

    /// <summary>The address of the current record.</summary>
    public long Address => _walker.Address;

    /// <summary>
    /// Whether the current record is a tombstone, or had expired when the scan reached it; its value is then empty.
    /// </summary>
    public bool IsTombstone => (_walker.Header & RecordHeader.Tombstone) != 0
        || RecordExpiry.IsDead(_log.Layout, _walker.Record, _walker.Header, _now);

    /// <summary>The time at which the current record expires; null if it never expires.</summary>
    public DateTimeOffset? ExpiresAt => RecordExpiry.Moment(_log.Layout.Expiry(_walker.Record));

    /// <summary>
    /// Whether the current record is a delta, which must be merged with the key's older records and supersedes none of
    /// them (paper 000 §6.3).
    /// </summary>
    public bool IsDelta => (_walker.Header & RecordHeader.Delta) != 0;

    /// <summary>The key's bytes of the current record; valid until the next move.</summary>
    public ReadOnlySpan<byte> Key => _log.Layout.Key(_walker.Record);

    /// <summary>Whether the current record's value is larger than a page, so that it is not loaded yet.</summary>
    public bool IsLarge => LargeHead.IsIn(_walker.Header) && !IsTombstone;

    /// <summary>The length in bytes of the current record's value.</summary>
    public long ValueLength => IsLarge ? _large!.Length : Value.Length;

    /// <summary>
    /// The value's bytes of the current record; valid until the next move. A value larger than a page is gathered in
    /// memory, which <see cref="CopyValueTo"/> avoids.
    /// </summary>
    /// <exception cref="LimitExceededException">The value is longer than an array can be.</exception>
    public ReadOnlySpan<byte> Value =>
        IsTombstone ? default : IsLarge ? Gather() : _log.Layout.Value(_walker.Record);

    /// <summary>Writes the current record's value, fragment by fragment if it is larger than a page.</summary>
    public void CopyValueTo(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (IsLarge) _large!.CopyTo(destination);
        else destination.Write(Value);
    }

    /// <summary>The current record; valid until the next move.</summary>
    public RecordView Current => RecordViews.Of(
        _log.Layout, _walker.Record, _walker.Header, _walker.Address, _now, IsLarge ? Value : default);

    /// <summary>Moves to the next record.</summary>
    /// <returns>False if there are no more records.</returns>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The scan or the store is closed.</exception>
    public bool MoveNext()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        _gathered = null;
        _large?.Leave();
        for (;;)
        {
            while (_walker.MoveNext())
            {
                bool counts = RecordViews.HasKey(_walker.Header)
                    && !_storage.IsDiscarded(_walker.Address, _walker.Header);
                if (!counts) continue;
                _now = _clock?.Now ?? long.MinValue;
                if (!IsLarge || IsWhole()) return true;
            }

            if (_next.Address >= _end) return false;
            _walker = Walk();
        }
    }

    private RecordWalker Walk()
    {
        _guard.Enter();
        try
        {
            return _page.Walk(ref _next, _end);
        }
        finally
        {
            _guard.Leave();
        }
    }

    /// <summary>Releases the log and the scan's buffers. Idempotent.</summary>
    public void Dispose()
    {
        _disposed = true;
        _pin.Dispose();
        _page.Dispose();
        _large?.Dispose();
    }

    // Uses a separate buffer, so that the record remains in the page's buffer while its value is read.
    private bool IsWhole()
    {
        _large ??= new LargeScan(_epochs, _log, _storage, _guard);
        return _large.TryMoveTo(_log.Layout.Value(_walker.Record), _walker.Address, _pin);
    }

    private ReadOnlySpan<byte> Gather() => _gathered ??= _large!.ToArray();
}
