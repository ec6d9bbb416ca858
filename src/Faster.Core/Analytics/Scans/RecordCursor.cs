using Faster.Contracts;
using Faster.Invariants;
using Faster.Log.Large;
using Faster.Log.Records;

namespace Faster.Analytics.Scans;

/// <summary>
/// Walks the records of one part of a log range after another, forwards or backwards. Skips records that were never
/// linked, were discarded by a recovery, have no key, or are later than the range's state.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Each part lies in one page, and is immutable.</item>
/// <item>Addresses ascend forwards and descend backwards.</item>
/// <item>A part is walked only if the range is pinned, or if the log still began at or below it after it was
/// loaded.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class RecordCursor(LogSource source, ScanRange range) : IDisposable
{
    private readonly LogPages _pages = new(source, range.Snapshots);
    private readonly List<int> _starts = []; // offsets of the part's records, for walking backwards
    private RecordWalker _walker;
    private long _from;
    private unsafe byte* _record;

    /// <summary>The address of the current record.</summary>
    public long Address { get; private set; }

    /// <summary>The first address after the current record.</summary>
    public long NextAddress { get; private set; }

    /// <summary>The current record's header.</summary>
    public ulong Header { get; private set; }

    /// <summary>
    /// Whether the record's value has fragments below the range: the log was truncated there before the scan started.
    /// The record then counts as a tombstone, unless there is a tier below, to which the value had moved.
    /// </summary>
    public bool IsGone { get; private set; }

    /// <summary>
    /// The current record of a range that is pinned, with a large value gathered; valid until the next load.
    /// </summary>
    public RecordView Current
    {
        get
        {
            bool isThere = TryGetCurrent(out RecordView record);
            Invariant.Check(isThere, $"the record at {Address} is pinned with its value");
            return record;
        }
    }

    /// <summary>The current record without its value if that is large; valid until the next load.</summary>
    public unsafe RecordView Outline =>
        RecordViews.Of(source.Log.Layout, _record, Header, Address, Now);

    /// <summary>The hash of the current record's key.</summary>
    public unsafe ulong Hash => source.Log.Layout.Hash(_record, source.Tier.Seed);

    /// <summary>Makes the view of the current record, with a large value gathered; valid until the next load.</summary>
    /// <returns>False if the log has been truncated above a fragment of the value, where it is not pinned.</returns>
    public unsafe bool TryGetCurrent(out RecordView record) =>
        source.TryView(_record, Header, Address, Now, range.Pin, out record);

    /// <summary>Loads a part of one page of a range that is pinned, and moves before its first record.</summary>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk cannot be read.</exception>
    public async ValueTask LoadAsync(RecordBoundary start, long to)
    {
        bool isThere = await TryLoadAsync(start, to).ConfigureAwait(false);
        Invariant.Check(isThere, $"{start.Address} to {to} are pinned; {source.Log}");
    }

    /// <summary>Loads a part of one page, and moves before its first record.</summary>
    /// <returns>False if the log was truncated above the start, where it is not pinned.</returns>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk cannot be read.</exception>
    public async ValueTask<bool> TryLoadAsync(RecordBoundary start, long to)
    {
        long from = start.Address;
        try
        {
            await _pages.LoadAsync(from, to).ConfigureAwait(false);
        }
        catch (FasterException) when (IsCut(from))
        {
            return false;
        }

        // Truncation raises the begin address before it removes data: if the log still begins below, all bytes read are
        // valid.
        if (IsCut(from)) return false;
        Open(start, to);
        return true;
    }

    /// <summary>Moves to the next record of the part.</summary>
    /// <exception cref="DamagedDataException">The bytes are neither a record nor a gap.</exception>
    public unsafe bool MoveNext()
    {
        while (_walker.MoveNext())
        {
            Stand(_walker.Address, _walker.Record, _walker.Size);
            if (Counts()) return true;
        }

        return false;
    }

    /// <summary>Moves after the last record of the part, to walk it backwards.</summary>
    /// <exception cref="DamagedDataException">The bytes are neither a record nor a gap.</exception>
    public void GoToEnd()
    {
        _starts.Clear();
        while (MoveNext()) _starts.Add((int)(Address - _from));
    }

    /// <summary>Moves to the previous record, after <see cref="GoToEnd"/>.</summary>
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

    private bool IsCut(long from) => range.Pin is null && source.Log.BeginAddress > from;

    private long Now => range.Now ?? source.Core.Clock.Now;

    private bool Counts() => RecordViews.HasKey(Header) && !source.Storage.IsDiscarded(Address, Header)
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

        IsGone = LargeHead.IsIn(Header) && (Header & RecordHeader.Tombstone) == 0
            && LargeHead.AtEndOf(source.Log.Layout.Value(record)).Lowest < range.Begin;
        if (IsGone) Header |= RecordHeader.Tombstone;
    }
}
