using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster;

/// <summary>
/// Walks all records of a log in address order, page by page, on disk and in memory (the ground of paper 000 App. F).
/// </summary>
/// <remarks>
/// The log is frozen up to the tail as it was at the start, so that every record below is complete and immutable. A
/// page in memory is copied under an epoch; one on disk is read and verified. Not thread-safe: one walker.
/// </remarks>
public sealed unsafe class LogScan<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly PageCopy<TProbe> _page;
    private readonly long _end;
    private RecordWalker _walker;
    private long _next;
    private bool _disposed;

    internal LogScan(EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage)
    {
        _log = log;
        _storage = storage;
        _page = new PageCopy<TProbe>(epochs, log, storage, "a scan");
        _next = log.BeginAddress;
        _end = log.FreezeToTail();
        var spin = default(SpinWait);
        while (log.SafeFrozenAddress < _end)
        {
            epochs.Drain();
            spin.SpinOnce();
        }
    }

    /// <summary>The current record's address.</summary>
    public long Address => _walker.Address;

    /// <summary>Whether the current record says that its key was deleted; its value is nothing then.</summary>
    public bool IsTombstone => (_walker.Header & RecordHeader.Tombstone) != 0;

    /// <summary>
    /// Whether the current record's value is a part of its key's, to be merged with that of the key's records before it
    /// (paper 000 §6.3): it supersedes none.
    /// </summary>
    public bool IsPartial => (_walker.Header & RecordHeader.Delta) != 0;

    /// <summary>The current record's key; valid until the next move.</summary>
    public ReadOnlySpan<byte> Key => _log.Layout.Key(_walker.Record);

    /// <summary>The current record's value; valid until the next move.</summary>
    public ReadOnlySpan<byte> Value => IsTombstone ? default : _log.Layout.Value(_walker.Record);

    /// <summary>The current record; valid until the next move.</summary>
    public RecordView Current => new(_log.Layout, _walker.Record, _walker.Header, _walker.Address);

    /// <summary>Moves to the next record.</summary>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public bool MoveNext()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        for (;;)
        {
            while (_walker.MoveNext())
            {
                bool counts = RecordView.HasKey(_walker.Header)
                    && !_storage.IsAbandoned(_walker.Address, _walker.Header);
                if (counts) return true;
            }

            if (_next >= _end) return false;
            long pageEnd = Math.Min(((_next >> _log.PageBits) + 1) << _log.PageBits, _end);
            byte* bytes = _page.Load(_next, pageEnd);
            _walker = new RecordWalker(_storage, _log.Layout, bytes, _next, pageEnd);
            _next = pageEnd;
        }
    }

    /// <summary>Gives back what the scan holds. Idempotent.</summary>
    public void Dispose()
    {
        _disposed = true;
        _page.Dispose();
    }
}
