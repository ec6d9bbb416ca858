using Faster.Compaction.Large;
using Faster.Compaction.Lookups;
using Faster.Index.Entries;
using Faster.Invariants;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Compaction.Copying;

/// <summary>The last stage: records are appended to the second tier, each by a conditional insert.</summary>
/// <remarks>
/// <para>A record that comes from the tier above is inserted unconditionally: all that this tier holds of the key is
/// older. If the key is updated above meanwhile, the copy is not needed, and does no harm, since the tier above is
/// searched first. A tombstone, or a record that has expired, goes below as a tombstone, if the tier may hold the
/// key.</para>
/// <para>A record of the tier itself is inserted if it is its key's newest, and has not expired.</para>
/// <para>A value in fragments is copied first, outside the pause of commits; again if the log was truncated there
/// before the record was linked.</para>
/// <para>After each <see cref="InsertsAtOnce"/> records a commit may begin to capture the tier.</para>
/// </remarks>
/// <typeparam name="TFrom">The entries of the first tier.</typeparam>
/// <typeparam name="TTo">The entries of the second tier.</typeparam>
/// <param name="thread">The thread that the stage belongs to.</param>
/// <param name="lookups">Puts off what would wait for a newer record of the disk.</param>
internal sealed unsafe class RecordInserts<TFrom, TTo>(CopyThread thread, DeferredLookups lookups) : ICopyStage
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    private const int InsertsAtOnce = 256;

    private readonly OperationRunner _runner = thread.Session.RunnerOf(thread.Route.To);
    private readonly LargeValueCopier<TFrom> _large = new(thread);
    private int _taken;

    /// <inheritdoc/>
    public PutOffRecords PutOff => lookups.PutOff;

    /// <inheritdoc/>
    public void Prefetch(ulong hash) => thread.PrefetchEntry(hash);

    /// <inheritdoc/>
    public void Take(in PageRecord record, bool mayPutOff)
    {
        if (_taken++ % InsertsAtOnce == 0) Settle();
        thread.BeginCopying();
        if (record.IsLarge && !record.IsDead) InsertLarge(record);
        else Insert(record, mayPutOff);
    }

    /// <inheritdoc/>
    public void Settle() => thread.EndCopying();

    /// <inheritdoc/>
    public void LookUp(PageCopy page, bool all) => lookups.Resolve(page, this, all);

    private void Insert(in PageRecord record, bool mayPutOff)
    {
        CopyRoute route = thread.Route;
        bool isTombstone = record.IsDead;
        bool stays = Probe.On && Probe.Has(SeededBug.TombstoneStaysAbove);
        if (isTombstone && (stays || route.IsWithinLog || !MayHold(record.Hash))) return;
        Invariant.Check(
            (record.Header & RecordHeader.Delta) == 0, $"a record that is copied so is whole: {record.Header:x}");
        long above = route.IsWithinLog ? record.Address : IConditionalInsert.Nothing;
        var copy = new CopyToTail(record, above, isTombstone, thread.Counters);
        bool isMade = CompactionInsert.TryRun<ConditionalInsertAlgorithm<TTo, CopyToTail>, CopyToTail>(
            _runner, record, ref copy, mayPutOff ? lookups : null, out Status status);
        if (isMade && status != Status.Pending) copy.Complete(status, null);
    }

    private void InsertLarge(in PageRecord record)
    {
        FragmentWrites writes = thread.Route.To.PagedLog!.Writes;
        ReadOnlySpan<byte> value = record.Value;
        fixed (byte* bytes = value)
        {
            var slot = new Span<byte>(bytes, value.Length);
            LargeHead head = LargeHead.AtEndOf(slot);
            for (bool isOver = false; !isOver;)
            {
                thread.EndCopying(); // a commit need not wait for the value
                FragmentWrites.Write write = writes.Begin(thread.Route.To.Log.TailAddress);
                try
                {
                    bool isCopied = _large.TryCopyValue(record, head, slot, write);
                    thread.BeginCopying();
                    if (!isCopied) return;
                    long linked = thread.Counters.Copied;
                    Insert(record, mayPutOff: false);
                    CompactionInsert.CompletePending(thread.Session);
                    isOver = thread.Counters.Copied != linked
                        || !LargeValues.IsPassedOver(thread.Route.To.Log, RecordHeader.Large, slot);
                }
                finally
                {
                    write.End();
                }
            }
        }
    }

    private bool MayHold(ulong hash)
    {
        LogSession session = thread.Session;
        session.Core.Epochs.Enter(session.Slot);
        bool mayHold = SearchBelow.MayHold(thread.Route.To, hash);
        session.Core.Epochs.Leave(session.Slot);
        return mayHold;
    }
}
