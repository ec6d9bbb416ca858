using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Invariants;
using Faster.Log.Records;
using Faster.Operations.Merging;

namespace Faster.Analytics.Scans;

/// <summary>
/// Returns the newest value of each key in a range of the log, or of several logs of which each holds older records of
/// a key than the one before it, except deleted keys, within bounded memory.
/// </summary>
/// <remarks>
/// <para>The scan reads one log after another backwards, page by page. The first record found of a key is its newest,
/// because addresses fall along a chain; a set of keys identifies the first. When the set is full, the pass leaves the
/// upper half of its hashes to a later pass and continues with the lower half. So each key belongs to exactly one pass,
/// and no estimate of the number of keys is needed. A later pass knows the position from which on its records have
/// already been returned. A position is the number of the log, counted from the last, above the 48 bits of an address:
/// positions fall during a pass, whatever the log.</para>
/// <para>Deltas (paper 000 §6.3) are merged as they are found, newest first, until a whole value, a tombstone or the
/// begin of the range ends them: one value per key, in half of the memory, under the same rule when it is full. The
/// value is returned at the record that ends it: by the position of that record a later pass decides whether it has
/// been returned.</para>
/// <para>A record whose value has fragments below its log's range had moved to the next log with its value before the
/// scan started: it hides what is older in its log, and not what the next log has. There are as many of them as values
/// were being written at once where the range begins.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>After each page, the live keys whose newest whole record or tombstone is at or above that page's start and
/// whose hashes are in the pass's range have been returned exactly once, by this or an earlier pass.</item>
/// <item>Each hash belongs to exactly one range: that of the pass under way, of a later one, or of one that has
/// ended.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class LiveScan : IDisposable
{
    private const int PartOfLog = 16;
    private const long MostOfLeast = 1 << 20;

    private readonly IReadOnlyList<ScanPart> _parts;
    private readonly RecordCursor[] _cursors;
    private readonly RecordSchema _schema;
    private readonly KeySet _seen;
    private readonly DeltaKeys? _deltas; // null if the store's values are not mergeable
    private readonly ValueBuffer _merged = new();
    private HashSet<byte[]> _moved = new(KeyBytes.Comparer); // keys whose value lies in this log, or in the next
    private HashSet<byte[]> _moving = new(KeyBytes.Comparer); // keys whose value had moved from this log to the next
    private readonly Stack<HashRange> _left = new();
    private HashRange _hashes;
    private RecordCursor _cursor;
    private long _positionOfLog; // of address 0 of the log that is being read

    /// <summary>Prepares a scan; nothing is read yet.</summary>
    /// <param name="parts">The logs of a store: that with the newest records first.</param>
    /// <param name="tableMemory">The most memory for the set of keys.</param>
    public LiveScan(IReadOnlyList<ScanPart> parts, ByteSize tableMemory)
    {
        _parts = parts;
        _cursors = [.. parts.Select(static part => new RecordCursor(part.Source, part.Range))];
        _cursor = _cursors[0];
        _schema = parts[0].Source.Schema;
        bool merges = _schema.Merger is not null;
        long bytes = merges ? tableMemory.Bytes / 2 : tableMemory.Bytes;
        _seen = new KeySet(bytes);
        if (merges) _deltas = new DeltaKeys(bytes);
        _left.Push(HashRange.All);
    }

    /// <summary>
    /// The memory for keys with which the scan of a store is made: what its caller allows, and at least a sixteenth of
    /// what is read, 1 MiB at most. With less, the passes would be too many: where values are merged, a pass holds the
    /// values of its keys, and hundreds of passes would read the whole log each.
    /// </summary>
    /// <param name="parts">The logs.</param>
    /// <param name="allowed">What the caller allows.</param>
    public static ByteSize MemoryFor(IReadOnlyList<ScanPart> parts, ByteSize allowed)
    {
        long bytes = parts.Sum(static part => part.Range.End - part.Range.Begin);
        return new ByteSize(Math.Max(allowed.Bytes, Math.Min(bytes / PartOfLog, MostOfLeast)));
    }

    /// <summary>Captures ranges, enumerates their live records, and releases the ranges.</summary>
    /// <param name="capture">Captures them.</param>
    /// <param name="allowed">The memory that the caller allows for keys.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="ct">Cancels the scan.</param>
    public static async IAsyncEnumerable<T> OverAsync<T>(
        Func<CancellationToken, Task<ScanPart[]>> capture, ByteSize allowed, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken ct)
    {
        ScanPart[] parts = await capture(ct).ConfigureAwait(false);
        try
        {
            using var scan = new LiveScan(parts, MemoryFor(parts, allowed));
            await foreach (T item in scan.RunAsync(decode, ct).ConfigureAwait(false)) yield return item;
        }
        finally
        {
            foreach (ScanPart part in parts) part.Range.Dispose();
        }
    }

    /// <summary>The number of passes started.</summary>
    public int Passes { get; private set; }

    /// <summary>The maximum number of bytes that the set of keys and the deltas have used.</summary>
    public long MaxTableBytes { get; private set; }

    /// <summary>Enumerates the live records, decoded.</summary>
    public async IAsyncEnumerable<T> RunAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        while (_left.TryPop(out _hashes))
        {
            Passes++;
            _seen.Clear();
            _deltas?.Clear();
            _moving.Clear();
            for (int i = 0; i < _parts.Count; i++)
            {
                (_moved, _moving) = (_moving, _moved);
                _moving.Clear();
                (LogSource source, ScanRange range) = _parts[i];
                (_cursor, _positionOfLog) = (_cursors[i], (long)(_parts.Count - 1 - i) << RecordHeader.AddressBits);
                for (long to = range.End; to > range.Begin;)
                {
                    ct.ThrowIfCancellationRequested();
                    long from = Math.Max(source.Log.PageStartOf(to - 1), range.Begin);
                    await _cursor.LoadAsync(source.Log.WalkStartOf(from), to).ConfigureAwait(false);
                    _cursor.GoToEnd();
                    while (_cursor.MovePrevious())
                    {
                        if (TryGive(out RecordView given)) yield return decode(given);
                    }

                    to = from;
                }
            }

            // There are no older records: the merge of the deltas is the value.
            if (_deltas is null) continue;
            foreach (DeltaKey key in _deltas.All) yield return decode(key.View);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (RecordCursor cursor in _cursors) cursor.Dispose();
    }

    private long Position => _positionOfLog + _cursor.Address;

    /// <summary>
    /// Examines the current record, and returns whether a key must be returned at it, and with which value.
    /// </summary>
    private bool TryGive(out RecordView given)
    {
        given = default;
        ulong hash = _cursor.Hash;
        if (!_hashes.Contains(hash)) return false;
        RecordView record = _cursor.Outline;
        KeySetOutcome outcome;
        while ((outcome = _seen.Add(hash, record.Key, mayExceed: !_hashes.CanSplit)) == KeySetOutcome.Full)
            if (!SplitPass(hash)) return false;

        CountBytes();
        DeltaKey? partial = null;
        bool isOpen = outcome == KeySetOutcome.Present && _deltas?.TryGet(record.Key, out partial) == true;
        if (outcome == KeySetOutcome.Present && (IsMoving(record.Key) || !(HasMoved(record.Key) | isOpen)))
            return false;
        if (_cursor.IsGone && _positionOfLog != 0)
        {
            _ = _moving.Add(record.Key.ToArray());
            return false;
        }

        if (record.IsDelta)
        {
            Join(hash, record, partial);
            return false;
        }

        if (partial is not null) _deltas!.Remove(partial);
        if (Position >= _hashes.GivenFrom) return false;
        if (!record.IsTombstone) record = _cursor.Current;
        if (partial is null) given = record;
        else if (record.IsTombstone) given = partial.View;
        else given = new RecordView
            {
                Key = partial.Key, Value = Merge(record, partial), Address = partial.Address,
            };
        return !given.IsTombstone;
    }

    private bool IsMoving(ReadOnlySpan<byte> key) =>
        _moving.Count != 0 && _moving.GetAlternateLookup<ReadOnlySpan<byte>>().Contains(key);

    private bool HasMoved(ReadOnlySpan<byte> key) =>
        _moved.Count != 0 && _moved.GetAlternateLookup<ReadOnlySpan<byte>>().Remove(key);

    // Merges an older delta into the value that the key has so far.
    private void Join(ulong hash, RecordView record, DeltaKey? partial)
    {
        if (_deltas is null) throw DeltaValues.NoMerger(record.Address);
        ReadOnlySpan<byte> value = partial is null ? record.Value : Merge(record, partial);
        while (!_deltas.TrySet(hash, record.Key, value, record.Address, mayExceed: !_hashes.CanSplit))
            if (!SplitPass(hash)) return;
        CountBytes();
    }

    private ReadOnlySpan<byte> Merge(RecordView older, DeltaKey newer)
    {
        _merged.Clear();
        BackgroundMerge.Run(_schema, older.Key, older.Value, newer.Value, _merged);
        return _merged.Written;
    }

    /// <summary>Leaves the upper half of the pass's keys to a later pass.</summary>
    /// <returns>Whether the given hash is still in the current pass.</returns>
    private bool SplitPass(ulong hash)
    {
        _hashes = _hashes.Split(Position + 1, out HashRange upper);
        Invariant.Check(
            _hashes.Last < upper.First && _hashes.First <= _hashes.Last && upper.First <= upper.Last,
            $"a range is halved: {_hashes}, {upper}");
        _left.Push(upper);
        _seen.RemoveAbove(_hashes.Last);
        _deltas?.RemoveAbove(_hashes.Last);
        return hash <= _hashes.Last;
    }

    private void CountBytes() =>
        MaxTableBytes = Math.Max(MaxTableBytes, _seen.Bytes + (_deltas?.Bytes ?? 0));
}
