using System.Buffers;
using Faster.Analytics;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster;

/// <summary>
/// Walks all records of a log in address order, page by page, on disk and in memory (the ground of paper 000 App. F).
/// </summary>
/// <remarks>
/// The log is frozen up to the tail as it was at the start, so that every record below is complete and immutable. A
/// page in memory is copied under an epoch; one on disk is read and verified. Between two calls nothing of the store is
/// held: when it is closed, what has not been read fails. Not thread-safe: one walker.
/// </remarks>
public sealed unsafe class LogScan<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly PageCopy<TProbe> _page;
    private readonly ReaderGuard _guard;
    private readonly long _begin;
    private readonly long _end;
    private readonly StoreClock? _clock;
    private long _now = long.MinValue;
    private RecordWalker _walker;
    private LargeScan<TProbe>? _large;
    private byte[]? _gathered;
    private RecordBoundary _next;
    private bool _disposed;

    internal LogScan(
        EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage, StoreClock? clock = null,
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
            _begin = log.BeginAddress;
            _next = log.WalkStartOf(_begin);
            _end = log.FreezeToTail();
            var spin = default(SpinWait);
            while (log.SafeFrozenAddress < _end)
            {
                epochs.Drain();
                spin.SpinOnce();
            }
        }
        finally
        {
            _guard.Leave();
        }

        _page = new PageCopy<TProbe>(epochs, log, storage, "a scan");
    }

    /// <summary>The current record's address.</summary>
    public long Address => _walker.Address;

    /// <summary>
    /// Whether the current record says that its key was deleted, or had expired when the scan came to it; its value is
    /// nothing then.
    /// </summary>
    public bool IsTombstone => (_walker.Header & RecordHeader.Tombstone) != 0
        || RecordExpiry.IsDead(_log.Layout, _walker.Record, _walker.Header, _now);

    /// <summary>When the current record expires; null when it does not.</summary>
    public DateTimeOffset? ExpiresAt => RecordExpiry.Moment(_log.Layout.Expiry(_walker.Record));

    /// <summary>
    /// Whether the current record's value is a part of its key's, to be merged with that of the key's records before it
    /// (paper 000 §6.3): it supersedes none.
    /// </summary>
    public bool IsPartial => (_walker.Header & RecordHeader.Delta) != 0;

    /// <summary>The current record's key; valid until the next move.</summary>
    public ReadOnlySpan<byte> Key => _log.Layout.Key(_walker.Record);

    /// <summary>Whether the current record's value is larger than a page and is not here yet.</summary>
    public bool IsLarge => LargeHead.IsIn(_walker.Header) && !IsTombstone;

    /// <summary>The length in bytes of the current record's value.</summary>
    public long ValueLength => IsLarge ? _large!.Length : Value.Length;

    /// <summary>
    /// The current record's value; valid until the next move. One that is larger than a page is gathered in memory:
    /// <see cref="CopyValueTo"/> does without.
    /// </summary>
    /// <exception cref="LimitExceededException">The value is longer than an array can be.</exception>
    public ReadOnlySpan<byte> Value =>
        IsTombstone ? default : IsLarge ? Gather() : _log.Layout.Value(_walker.Record);

    /// <summary>Writes the current record's value, piece by piece.</summary>
    public void CopyValueTo(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (IsLarge) _large!.CopyTo(destination);
        else destination.Write(Value);
    }

    /// <summary>The current record; valid until the next move.</summary>
    public RecordView Current => new(
        _log.Layout, _walker.Record, _walker.Header, _walker.Address, _now, IsLarge ? Value : default);

    /// <summary>Moves to the next record.</summary>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    /// <exception cref="LogTruncatedException">
    /// What comes next, or a part of a value larger than a page, was given up since the scan began.
    /// </exception>
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
                bool counts = RecordView.HasKey(_walker.Header)
                    && !_storage.IsAbandoned(_walker.Address, _walker.Header);
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
        long from = _next.Address;
        _guard.Enter();
        try
        {
            return _page.Walk(ref _next, _end);
        }
        catch (FasterException e) when (_log.BeginAddress > from)
        {
            throw LogTruncatedException.Of(from, _log.BeginAddress, e);
        }
        finally
        {
            _guard.Leave();
        }
    }

    /// <summary>Gives back what the scan holds. Idempotent.</summary>
    public void Dispose()
    {
        _disposed = true;
        _page.Dispose();
        _large?.Dispose();
    }

    // Another block than the page's: the record stays where it is while its value is read.
    private bool IsWhole()
    {
        _large ??= new LargeScan<TProbe>(_epochs, _log, _storage, _guard);
        if (_large.TryMoveTo(_log.Layout.Value(_walker.Record), _walker.Address)) return true;

        // Given up since the scan began: the value may live on in a copy that the scan does not come to.
        return _large.Lowest >= _begin ? throw LogTruncatedException.Of(_large.Lowest, _log.BeginAddress) : false;
    }

    private ReadOnlySpan<byte> Gather() => _gathered ??= _large!.ToArray();
}
