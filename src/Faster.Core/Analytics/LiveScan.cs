using System.Runtime.CompilerServices;
using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>The newest record of each key in a range of the log, tombstones left out, within bounded memory.</summary>
/// <remarks>
/// <para>Goes through the log backwards, page by page: the first record of a key that is met is its newest, for
/// addresses fall along a chain; a set of keys tells the first. When the set is full, the pass gives the upper half of
/// its hashes up, to a later pass, and goes on with the lower: so each key is wholly one pass's, and no estimate of
/// their number is needed. A later pass knows from which address on its records have been given already.</para>
/// <para>A partial value is refused: its key's is a merge, which only the store's operations make.</para>
/// <para>Invariant: after each page, the live records from there on whose hashes are in the pass's range have been
/// given, by this or an earlier pass, exactly once. One user at a time.</para>
/// </remarks>
internal sealed class LiveScan<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly LogSource<TProbe> _source;
    private readonly ScanRange _range;
    private readonly RecordCursor<TProbe> _cursor;
    private readonly KeySet _seen;
    private readonly Stack<HashRange> _left = new();
    private HashRange _hashes;

    /// <summary>Plans a scan.</summary>
    public LiveScan(LogSource<TProbe> source, ScanRange range, ByteSize tableMemory)
    {
        _source = source;
        _range = range;
        _cursor = new RecordCursor<TProbe>(source, range);
        _seen = new KeySet(tableMemory.Bytes);
        _left.Push(HashRange.All);
    }

    /// <summary>How many passes were begun.</summary>
    public int Passes { get; private set; }

    /// <summary>The most bytes that the set of keys has held.</summary>
    public long MostTableBytes { get; private set; }

    /// <summary>Runs.</summary>
    public async IAsyncEnumerable<T> RunAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        while (_left.TryPop(out _hashes))
        {
            Passes++;
            _seen.Clear();
            for (long to = _range.End; to > _range.Begin;)
            {
                ct.ThrowIfCancellationRequested();
                long pageStart = _source.PageEnd(to - 1) - _source.Log.PageSize;
                long from = Math.Max(pageStart, _range.Begin);
                ThrowIfTruncated();
                await _cursor.LoadAsync(from, to).ConfigureAwait(false);
                _cursor.GoToEnd();
                while (_cursor.MovePrevious())
                {
                    if (IsGiven()) yield return decode(_cursor.Current);
                }

                to = from;
            }
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

    private bool IsGiven()
    {
        ulong hash = _cursor.Hash;
        if (!_hashes.Contains(hash)) return false;
        RecordView record = _cursor.Current;
        KeySetOutcome outcome;
        while ((outcome = _seen.Add(hash, record.Key, mayExceed: !_hashes.CanSplit)) == KeySetOutcome.Full)
        {
            _hashes = _hashes.Split(record.Address + 1, out HashRange upper);
            _left.Push(upper);
            _seen.RemoveAbove(_hashes.Last);
            if (hash > _hashes.Last) return false;
        }

        MostTableBytes = Math.Max(MostTableBytes, _seen.Bytes);
        if (outcome != KeySetOutcome.Added || record.IsTombstone || record.Address >= _hashes.GivenFrom) return false;
        return record.IsPartial ? throw PartialValues.NotReconciled(record.Address) : true;
    }
}
