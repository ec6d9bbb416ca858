using Faster.Contracts;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>
/// Walks the records of one stretch of the log after another, forwards or backwards, that belong to a range: without
/// those that were never linked, belong to no commit, have no key or are later.
/// </summary>
/// <remarks>One user at a time; the stretches are of one page each, and immutable.</remarks>
internal sealed class RecordCursor<TProbe>(LogSource<TProbe> source, ScanRange range) : IDisposable
    where TProbe : struct, IProbe
{
    private readonly LogPages<TProbe> _pages = new(source, range.Snapshots);
    private readonly List<int> _starts = []; // of the records of the stretch, when it is walked backwards
    private RecordWalker _walker;
    private long _from;
    private unsafe byte* _record;

    /// <summary>The current record's address.</summary>
    public long Address { get; private set; }

    /// <summary>The first address behind it.</summary>
    public long NextAddress { get; private set; }

    /// <summary>Its header.</summary>
    public ulong Header { get; private set; }

    /// <summary>The current record; valid until the next load.</summary>
    public unsafe RecordView Current => source.View(_record, Header, Address, Now);

    /// <summary>The same, without a value that lies in chunks.</summary>
    public unsafe RecordView Outline => new(source.Log.Layout, _record, Header, Address, Now);

    /// <summary>The hash of the current record's key.</summary>
    public unsafe ulong Hash => source.Log.Layout.Hash(_record, source.Store.Seed);

    /// <summary>Loads a stretch of one page, and stands before its first record.</summary>
    /// <exception cref="LogTruncatedException">The stretch, or a part of it, was given up.</exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public async ValueTask LoadAsync(RecordBoundary start, long to)
    {
        long from = start.Address;
        try
        {
            await _pages.LoadAsync(from, to).ConfigureAwait(false);
        }
        catch (FasterException e) when (source.Log.BeginAddress > from)
        {
            throw LogTruncatedException.Of(from, source.Log.BeginAddress, e);
        }

        // Given up first and removed then: what was read while the log still began below is whole.
        if (source.Log.BeginAddress > from) throw LogTruncatedException.Of(from, source.Log.BeginAddress);
        Open(start, to);
    }

    /// <summary>Moves to the next record of the stretch.</summary>
    /// <exception cref="DamagedDataException">There is neither a record nor a gap.</exception>
    public unsafe bool MoveNext()
    {
        while (_walker.MoveNext())
        {
            Stand(_walker.Address, _walker.Record, _walker.Size);
            if (Counts()) return true;
        }

        return false;
    }

    /// <summary>Stands behind the last record of the stretch, which is walked backwards then.</summary>
    /// <exception cref="DamagedDataException">There is neither a record nor a gap.</exception>
    public void GoToEnd()
    {
        _starts.Clear();
        while (MoveNext()) _starts.Add((int)(Address - _from));
    }

    /// <summary>Moves to the record before, after <see cref="GoToEnd"/>.</summary>
    public unsafe bool MovePrevious()
    {
        if (_starts.Count == 0) return false;
        int start = _starts[^1];
        _starts.RemoveAt(_starts.Count - 1);
        Stand(_from + start, _pages.Bytes + start, 0);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => _pages.Dispose();

    private long Now => range.Now ?? source.Store.Clock.Now;

    private bool Counts() => RecordView.HasKey(Header) && !source.Storage.IsAbandoned(Address, Header)
        && !range.IsLater(Address, Header);

    private unsafe void Open(RecordBoundary start, long to)
    {
        _from = start.Address;
        _walker = new RecordWalker(source.Storage, source.Log.Layout, _pages.Bytes, start, to);
    }

    private unsafe void Stand(long address, byte* record, long size)
    {
        (Address, NextAddress, Header) = (address, address + size, RecordHeader.Read(record));
        _record = record;

        // Its chunks were given up before the scan began: to the store the key is absent.
        bool isLarge = LargeHead.IsIn(Header);
        if (isLarge && LargeHead.AtEndOf(source.Log.Layout.Value(record)).Lowest < range.Begin)
            Header |= RecordHeader.Tombstone;
    }
}
