using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>The newest value of each key in a range of the log, tombstones left out, within bounded memory.</summary>
/// <remarks>
/// <para>Goes through the log backwards, page by page: the first record of a key that is met is its newest, for
/// addresses fall along a chain; a set of keys tells the first. When the set is full, the pass gives the upper half of
/// its hashes up, to a later pass, and goes on with the lower: so each key is wholly one pass's, and no estimate of
/// their number is needed. A later pass knows from which address on its records have been given already.</para>
/// <para>Partial values (paper 000 §6.3) are merged as they are met, newest first, until a whole one or a tombstone or
/// the range's begin ends them: one value for each key, in half of the memory, under the same rule when it is full. The
/// value is given where it ends: by that address a later pass tells whether it has been.</para>
/// <para>Invariant: after each page, the live keys whose newest whole record or tombstone lies from there on and whose
/// hashes are in the pass's range have been given, by this or an earlier pass, exactly once. One user at a time.</para>
/// </remarks>
internal sealed class LiveScan<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly LogSource<TProbe> _source;
    private readonly ScanRange _range;
    private readonly RecordCursor<TProbe> _cursor;
    private readonly KeySet _seen;
    private readonly PartialKeys? _partials; // null where nothing is merged
    private readonly ValueBuffer _merged = new();
    private readonly Stack<HashRange> _left = new();
    private HashRange _hashes;

    /// <summary>Plans a scan.</summary>
    public LiveScan(LogSource<TProbe> source, ScanRange range, ByteSize tableMemory)
    {
        _source = source;
        _range = range;
        _cursor = new RecordCursor<TProbe>(source, range);
        bool merges = source.Schema.Merger is not null;
        long bytes = merges ? tableMemory.Bytes / 2 : tableMemory.Bytes;
        _seen = new KeySet(bytes);
        if (merges) _partials = new PartialKeys(bytes);
        _left.Push(HashRange.All);
    }

    /// <summary>How many passes were begun.</summary>
    public int Passes { get; private set; }

    /// <summary>The most bytes that the set of keys and the partial values have held.</summary>
    public long MostTableBytes { get; private set; }

    /// <summary>Runs.</summary>
    public async IAsyncEnumerable<T> RunAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        while (_left.TryPop(out _hashes))
        {
            Passes++;
            _seen.Clear();
            _partials?.Clear();
            for (long to = _range.End; to > _range.Begin;)
            {
                ct.ThrowIfCancellationRequested();
                long from = Math.Max(_source.Log.PageStartOf(to - 1), _range.Begin);
                ThrowIfTruncated();
                await _cursor.LoadAsync(_source.Log.WalkStartOf(from), to).ConfigureAwait(false);
                _cursor.GoToEnd();
                while (_cursor.MovePrevious())
                {
                    if (TryGive(out RecordView given)) yield return decode(given);
                }

                to = from;
            }

            // Nothing older counts: what is there is the value.
            if (_partials is null) continue;
            foreach (PartialKey key in _partials.All) yield return decode(key.View);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _cursor.Dispose();

    // What was given up may live on in copies above the range: they would be missed.
    private void ThrowIfTruncated()
    {
        long begin = _source.Log.BeginAddress;
        if (begin > _range.Begin) throw LogTruncatedException.Of(_range.Begin, begin);
    }

    /// <summary>Looks at the current record: whether a key is to be given at it, and what.</summary>
    private bool TryGive(out RecordView given)
    {
        given = default;
        ulong hash = _cursor.Hash;
        if (!_hashes.Contains(hash)) return false;
        RecordView record = _cursor.Outline;
        KeySetOutcome outcome;
        while ((outcome = _seen.Add(hash, record.Key, mayExceed: !_hashes.CanSplit)) == KeySetOutcome.Full)
            if (!TryKeep(hash, record.Address)) return false;

        CountBytes();
        PartialKey? partial = null;
        bool isOpen = outcome == KeySetOutcome.Present && _partials?.TryGet(record.Key, out partial) == true;
        if (outcome == KeySetOutcome.Present && !isOpen) return false;
        if (record.IsPartial)
        {
            Join(hash, record, partial);
            return false;
        }

        if (partial is not null) _partials!.Remove(partial);
        if (record.Address >= _hashes.GivenFrom) return false;
        if (!record.IsTombstone) record = _cursor.Current;
        if (partial is null) given = record;
        else if (record.IsTombstone) given = partial.View;
        else given = new RecordView(partial.Key, Merge(record, partial), partial.Address);
        return !given.IsTombstone;
    }

    // Adds an older partial value to what the key has.
    private void Join(ulong hash, RecordView record, PartialKey? partial)
    {
        if (_partials is null) throw PartialValues.NoMerger(record.Address);
        ReadOnlySpan<byte> value = partial is null ? record.Value : Merge(record, partial);
        while (!_partials.TrySet(hash, record.Key, value, record.Address, mayExceed: !_hashes.CanSplit))
            if (!TryKeep(hash, record.Address)) return;
        CountBytes();
    }

    private ReadOnlySpan<byte> Merge(RecordView older, PartialKey newer)
    {
        _merged.Clear();
        BackgroundMerge.Run(_source.Schema, older.Key, older.Value, newer.Value, _merged);
        return _merged.Written;
    }

    /// <summary>Leaves the upper half of the pass's keys to a later one.</summary>
    /// <returns>Whether a hash is still in the pass.</returns>
    private bool TryKeep(ulong hash, long address)
    {
        _hashes = _hashes.Split(address + 1, out HashRange upper);
        _left.Push(upper);
        _seen.RemoveAbove(_hashes.Last);
        _partials?.RemoveAbove(_hashes.Last);
        return hash <= _hashes.Last;
    }

    private void CountBytes() =>
        MostTableBytes = Math.Max(MostTableBytes, _seen.Bytes + (_partials?.Bytes ?? 0));
}
