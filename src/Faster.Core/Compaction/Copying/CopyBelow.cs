using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Invariants;
using Faster.Log.Records;
using Faster.Sessions;
using Faster.Store;
using Faster.Store.Operations;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>
/// Moves records to the tier below (hot-cold compaction, paper 003 §5.2): a record that is its key's newest in its own
/// tier is appended to the other one.
/// </summary>
/// <remarks>
/// <para>First the conditional insert's search runs in the record's own tier. The insert below is then unconditional:
/// all that the tier below holds of the key is older. If the key is updated above meanwhile, the copy is not needed,
/// and does no harm, since the tier above is searched first. Of two records of a key in the compacted range, the search
/// for the older one finds the newer one; and a later range is not compacted before this one is done.</para>
/// <para>A tombstone, or a record that has expired, goes below as a tombstone, if that tier may hold the key.</para>
/// <para>The inserts of many pages' records are made together, in the order in which the entries lie on the device of
/// the tier below (<see cref="IEntrySweep"/>).</para>
/// <para>Not thread-safe: it belongs to a thread of the compaction. Records lie in copies of pages, which stay until
/// <see cref="InsertChecked"/> has returned.</para>
/// </remarks>
internal sealed unsafe class CopyBelow<TProbe, TFrom, TTo>(
    LogSession<TProbe> session, Tier<TProbe> from, Tier<TProbe> to, CopyCounters counters, IEntrySweep? sweep = null)
    where TProbe : struct, IProbe
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    private const int InsertsInOneBreath = 256;

    private readonly List<Checked> _newest = [];
    private readonly List<(Checked Record, NewestRecordCheck.Answer Answer)> _pending = []; // wait for the disk
    private readonly OperationRunner<TProbe> _above = session.RunnerOf(from);
    private readonly OperationRunner<TProbe> _below = session.RunnerOf(to);
    private NewestRecordCheck.Answer _answer = new(); // of the next search
    private long[] _places = [];

    /// <summary>
    /// Looks whether a record is its key's newest: then <see cref="InsertChecked"/> appends it below.
    /// </summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header; a tombstone if it has expired.</param>
    /// <param name="address">Its address.</param>
    /// <param name="key">Its key.</param>
    /// <param name="hash">The key's hash.</param>
    public void Check(byte* record, ulong header, long address, in RecordKey key, ulong hash)
    {
        var found = new Checked((nint)record, header, hash);
        if (TProbe.Has(SeededBug.MoveWithoutSearch))
        {
            _newest.Add(found);
            return;
        }

        var check = new NewestRecordCheck(address, _answer);
        Status status = CompactionInsert<TProbe>.Run<
            ConditionalInsertAlgorithm<TProbe, TFrom, NewestRecordCheck>, NewestRecordCheck>(
            _above, key, hash, ref check);
        if (status == Status.Ok) _newest.Add(found);
        if (status != Status.Pending) return;
        _pending.Add((found, _answer));
        _answer = new NewestRecordCheck.Answer();
    }

    /// <summary>Completes all searches, and appends the records below that are their keys' newest.</summary>
    /// <param name="breathe">
    /// Called now and then, between two inserts: it may complete what is pending, and throws if the run must end early.
    /// </param>
    public void InsertChecked(Action breathe)
    {
        CompactionInsert<TProbe>.CompletePending(session);
        _newest.AddRange(_pending.Where(static found => found.Answer.IsNewest).Select(static found => found.Record));
        _pending.Clear();
        if (sweep is null) Insert(0, _newest.Count);
        else sweep.Run(SortByPlace(sweep), Insert);
        CompactionInsert<TProbe>.CompletePending(session);
        _newest.Clear();

        void Insert(int from, int to)
        {
            for (int i = from; i < to; i++)
            {
                if (i % InsertsInOneBreath == 0) breathe();
                this.Insert(_newest[i]);
            }
        }
    }

    private Span<long> SortByPlace(IEntrySweep order)
    {
        Span<Checked> records = CollectionsMarshal.AsSpan(_newest);
        if (_places.Length < records.Length) _places = new long[records.Length];
        Span<long> places = _places.AsSpan(0, records.Length);
        for (int i = 0; i < records.Length; i++) places[i] = order.PlaceOf(records[i].Hash);
        places.Sort(records);
        return places;
    }

    private void Insert(in Checked found)
    {
        byte* record = (byte*)found.Record;
        bool isTombstone = (found.Header & RecordHeader.Tombstone) != 0;
        if (isTombstone && (TProbe.Has(SeededBug.TombstoneStaysAbove) || !MayHoldBelow(found.Hash))) return;
        Invariant.Check(
            (found.Header & (RecordHeader.Large | RecordHeader.Delta)) == 0,
            $"a record that leaves its tier is whole: {found.Header:x}");
        RecordLayout layout = from.Layout;
        var key = new RecordKey(record + RecordHeader.Size, layout.KeySlotSize(record), found.Hash);
        ReadOnlySpan<byte> value = isTombstone ? default : layout.Value(record);
        fixed (byte* bytes = value)
        {
            var copy = new CopyToTail(
                IConditionalInsert.Nothing, isTombstone ? RecordHeader.Tombstone : 0,
                isTombstone ? RecordExpiry.Never : layout.Expiry(record), bytes, value.Length,
                layout.RecordSize(record), counters);
            Status status = CompactionInsert<TProbe>.Run<
                ConditionalInsertAlgorithm<TProbe, TTo, CopyToTail>, CopyToTail>(
                _below, key, found.Hash, ref copy);
            if (status != Status.Pending) copy.Complete(status, null);
        }
    }

    private bool MayHoldBelow(ulong hash)
    {
        session.Core.Epochs.Enter(session.Slot);
        bool mayHold = SearchBelow<TProbe>.MayHold(to, hash);
        session.Core.Epochs.Leave(session.Slot);
        return mayHold;
    }

    private readonly record struct Checked(nint Record, ulong Header, ulong Hash);
}
