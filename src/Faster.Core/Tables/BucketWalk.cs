using Faster.Contracts;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Log.Records;

namespace Faster.Tables;

/// <summary>
/// Walks the records of one bucket of a table's index, for those who go over the whole table bucket by bucket, in the
/// order of the hashes below their tags. An index that is resized meanwhile keeps that order.
/// </summary>
/// <remarks>
/// Returns every record that is linked during the whole walk, and may return some that come or go; of one that was
/// taken out the word is gone, or still exclusive. Not thread-safe: it belongs to its caller, in one epoch.
/// </remarks>
internal unsafe ref struct BucketWalk
{
    private readonly RecordTable _table;
    private readonly ulong _from;
    private BucketEntries _entries;
    private long _next;
    private EntryRef _located;

    private BucketWalk(RecordTable table, ulong from, EntryRef located)
    {
        (_table, _from, _located) = (table, from, located);
        _entries = table.Tier.Index.EntriesOf(located, out long count);
        long next = HashBits.BucketOf(from, count) + 1;
        After = next == count ? 0 : HashBits.HashOf(next, count, tag: 0);
    }

    /// <summary>Where the walk of the next bucket begins; 0 after the last one.</summary>
    public ulong After { get; }

    /// <summary>The record that was reached.</summary>
    public byte* Record { get; private set; }

    /// <summary>Begins to walk a bucket.</summary>
    /// <param name="table">The table.</param>
    /// <param name="from">0, or the <see cref="After"/> of the walk before.</param>
    /// <param name="walk">The walk, to be ended by <see cref="End"/> before the epoch is left.</param>
    /// <returns><see cref="Outcome.Ok"/>, or <see cref="Outcome.IndexResizing"/>.</returns>
    public static Outcome TryBegin(RecordTable table, ulong from, out BucketWalk walk)
    {
        Outcome located = table.Locate(from, out EntryRef entry);
        walk = located == Outcome.Ok ? new BucketWalk(table, from, entry) : default;
        return located;
    }

    /// <summary>Reaches the next record.</summary>
    public bool MoveNext()
    {
        const ulong BelowTag = ulong.MaxValue >> HashBits.TagBits;
        do
        {
            while (_next == 0)
            {
                if (!_entries.MoveNext()) return false;
                _next = _entries.Current.Address;
            }

            Record = (byte*)_next;
            _next = RecordHeader.Previous(RecordHeader.Read(Record));
        }
        while ((_table.Layout.Hash(Record, _table.Tier.Seed) & BelowTag) < _from); // walked when the index was larger
        return true;
    }

    /// <summary>Ends the walk.</summary>
    public readonly void End() => _table.Unpin(_located);
}
