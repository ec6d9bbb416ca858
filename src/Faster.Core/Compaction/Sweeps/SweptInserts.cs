using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Invariants;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Sweeps;

/// <summary>Appends records to a tier whose entries may be on disk: one by one, each by a conditional insert.</summary>
/// <remarks>
/// <para>A record that comes from the tier above is inserted unconditionally: all that this tier holds of the key is
/// older. If the key is updated above meanwhile, the copy is not needed, and does no harm, since the tier above is
/// searched first. A tombstone, or a record that has expired, goes below as a tombstone, if the tier may hold the
/// key.</para>
/// <para>A record of the tier itself is inserted if it is its key's newest, and has not expired.</para>
/// <para>Not thread-safe: it belongs to a thread of the compaction. A record stays where it is until the session's
/// pending operations are complete.</para>
/// </remarks>
internal sealed unsafe class SweptInserts<TTo>(
    LogSession session, Tier from, Tier to, CopyCounters counters)
    where TTo : struct, IEntryAccess<TTo>
{
    private readonly OperationRunner _runner = session.RunnerOf(to);

    /// <summary>Whether a record holds the head of a value in fragments, which must be copied first.</summary>
    public bool IsLarge(byte* record)
    {
        ulong header = RecordHeader.Read(record);
        return LargeHead.IsIn(header) && !IsDead(record, header);
    }

    /// <summary>Inserts a record of the first tier, unless it is found to be dead.</summary>
    /// <param name="record">The record.</param>
    /// <param name="address">Its address in its own tier.</param>
    /// <param name="lookups">Puts off what would wait for a newer record of the disk; null if nothing is.</param>
    public void Insert(byte* record, long address, DeferredLookups? lookups = null)
    {
        RecordLayout layout = from.Layout;
        ulong header = RecordHeader.Read(record), hash = layout.Hash(record, from.Seed);
        bool isTombstone = IsDead(record, header);
        bool stays = Probe.On && Probe.Has(SeededBug.TombstoneStaysAbove);
        if (isTombstone && (stays || from == to || !MayHold(hash))) return;
        Invariant.Check(
            (header & RecordHeader.Delta) == 0, $"a record that is copied so is whole: {header:x}");
        var key = new RecordKey(record + RecordHeader.Size, layout.KeySlotSize(record), hash);
        ReadOnlySpan<byte> value = isTombstone ? default : layout.Value(record);
        fixed (byte* bytes = value)
        {
            var copy = new CopyToTail(
                from == to ? address : IConditionalInsert.Nothing,
                isTombstone ? RecordHeader.Tombstone : LivenessFilter.FlagsOf(header),
                isTombstone ? RecordExpiry.Never : layout.Expiry(record), bytes, value.Length,
                layout.RecordSize(record), counters);
            Outcome first = CompactionInsert.Try<
                ConditionalInsertAlgorithm<TTo, CopyToTail>, CopyToTail>(_runner, key, hash, ref copy);
            if (first == Outcome.OnDisk && lookups?.TryDefer(address, record, _runner.Attempt.Wanted) == true) return;
            Status status = CompactionInsert.Finish<
                ConditionalInsertAlgorithm<TTo, CopyToTail>, CopyToTail>(_runner, key, hash, ref copy, first);
            if (status != Status.Pending) copy.Complete(status, null);
        }
    }

    private bool IsDead(byte* record, ulong header) => (header & RecordHeader.Tombstone) != 0
        || ((header & RecordHeader.Expiring) != 0
            && RecordExpiry.IsDead(from.Layout, record, header, from.Core.Clock.Now));

    private bool MayHold(ulong hash)
    {
        session.Core.Epochs.Enter(session.Slot);
        bool mayHold = to.MayHold(hash);
        session.Core.Epochs.Leave(session.Slot);
        return mayHold;
    }
}
