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
/// <para>Not thread-safe: it belongs to a thread of the compaction. Records lie in the copy of a page, which stays
/// until <see cref="InsertChecked"/> has returned.</para>
/// </remarks>
internal sealed unsafe class CopyBelow<TProbe, TFrom, TTo>(
    LogSession<TProbe> session, Tier<TProbe> from, Tier<TProbe> to, CopyCounters counters)
    where TProbe : struct, IProbe
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    private readonly List<Checked> _pending = []; // whose search waits for the disk
    private readonly OperationRunner<TProbe> _above = session.RunnerOf(from);
    private readonly OperationRunner<TProbe> _below = session.RunnerOf(to);

    /// <summary>Appends a record below if it is its key's newest; one whose search becomes pending, later.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header; a tombstone if it has expired.</param>
    /// <param name="address">Its address.</param>
    /// <param name="key">Its key.</param>
    /// <param name="hash">The key's hash.</param>
    public void CheckAndInsert(byte* record, ulong header, long address, in RecordKey key, ulong hash)
    {
        if (TProbe.Has(SeededBug.MoveWithoutSearch))
        {
            Insert(new Checked((nint)record, header, key, hash, new NewestRecordCheck.Answer()));
            return;
        }

        var answer = new NewestRecordCheck.Answer();
        var check = new NewestRecordCheck(address, answer);
        Status status = CompactionInsert<TProbe>.Run<
            ConditionalInsertAlgorithm<TProbe, TFrom, NewestRecordCheck>, NewestRecordCheck>(
            _above, key, hash, ref check);
        var found = new Checked((nint)record, header, key, hash, answer);
        if (status == Status.Pending) _pending.Add(found);
        else if (status == Status.Ok) Insert(found);
    }

    /// <summary>Appends the records whose searches have been completed, and completes all inserts.</summary>
    public void InsertChecked()
    {
        foreach (Checked found in _pending)
        {
            if (found.Answer.IsNewest) Insert(found);
        }

        _pending.Clear();
        CompactionInsert<TProbe>.CompletePending(session);
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
        ReadOnlySpan<byte> value = isTombstone ? default : layout.Value(record);
        fixed (byte* bytes = value)
        {
            var copy = new CopyToTail(
                IConditionalInsert.Nothing, isTombstone ? RecordHeader.Tombstone : 0,
                isTombstone ? RecordExpiry.Never : layout.Expiry(record), bytes, value.Length,
                layout.RecordSize(record), counters);
            Status status = CompactionInsert<TProbe>.Run<
                ConditionalInsertAlgorithm<TProbe, TTo, CopyToTail>, CopyToTail>(
                _below, found.Key, found.Hash, ref copy);
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

    private readonly record struct Checked(
        nint Record, ulong Header, RecordKey Key, ulong Hash, NewestRecordCheck.Answer Answer);
}
