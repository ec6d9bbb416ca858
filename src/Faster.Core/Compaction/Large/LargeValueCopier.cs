using Faster.Compaction.Copying;
using Faster.Index.Entries;
using Faster.Log.Large;
using Faster.Operations;
using Faster.Operations.Large;

namespace Faster.Compaction.Large;

/// <summary>
/// Copies values in fragments to the tail of their log, or of the log of the tier below, before their records are
/// inserted (docs/internals/large-values.md).
/// </summary>
/// <remarks>
/// <para>First the record is looked up, so that the fragments of a dead one are not copied; then its fragments are
/// copied, with one in memory at a time; then the record is inserted, with the new head. If the record was superseded
/// meanwhile, the new fragments belong to no key, and a later compaction reclaims them.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record is immutable when it is read to be copied, except for one that stays in front of its copy because it
/// lies above the range and the copy in the tier below: that one may be deleted later, which still counts.</item>
/// <item>A record's new head leads to fragments that were all written before the record is inserted.</item>
/// <item>A value that is copied is registered in its new log until its record is linked: another log is truncated by
/// runs of its own.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a thread of the compaction. Used outside every epoch.</para>
/// </remarks>
/// <typeparam name="TFrom">The entries of the first tier.</typeparam>
/// <param name="thread">The thread.</param>
internal sealed class LargeValueCopier<TFrom>(CopyThread thread)
    where TFrom : struct, IEntryAccess<TFrom>
{
    private byte[] _buffer = [];

    /// <summary>Copies the value of a record to the tail, if the record is live.</summary>
    /// <param name="record">The record.</param>
    /// <param name="head">The head that it holds.</param>
    /// <param name="value">The value slot's bytes; its end is overwritten with the new head.</param>
    /// <param name="write">The registration of the copy.</param>
    /// <returns>False when the record is dead, or its value has moved before.</returns>
    /// <exception cref="FasterException">The value could not be read or written.</exception>
    public bool TryCopyValue(in PageRecord record, LargeHead head, Span<byte> value, FragmentWrites.Write write)
    {
        CopyRoute route = thread.Route;
        if (!head.IsSound(record.Address)) throw route.From.Storage!.NoRecord(record.Address, 0);
        if (head.Lowest < route.Log.BeginAddress || !IsNewest(record)) return false;
        LargeHead? copy = LargeCopy.ToTail(
            route.From, route.To, head, record.Hash, ref _buffer, write, thread.CheckStop);
        thread.Counters.BytesCopied += copy is null ? 0 : head.Length;
        copy?.WriteTo(value[^LargeHead.Size..]);
        return copy is not null;
    }

    // In its tier. Completes what the session has pending.
    private bool IsNewest(in PageRecord record)
    {
        var answer = new NewestRecordCheck.Answer();
        var look = new NewestRecordCheck(record.Address, answer);
        Status status = CompactionInsert.Run<
            ConditionalInsertAlgorithm<TFrom, NewestRecordCheck>, NewestRecordCheck>(
            thread.Session.RunnerOf(thread.Route.From), record.Key, record.Hash, ref look);
        if (status != Status.Pending) look.Complete(status, null);
        CompactionInsert.CompletePending(thread.Session);
        return answer.IsNewest;
    }
}
