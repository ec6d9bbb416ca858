using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Tiers;

namespace Faster.Compaction.Large;

/// <summary>
/// Copies values in fragments to the tail of their log, or of the log of the tier below: those of records in the
/// compacted range of the log, and those that only begin there and whose record lies above it
/// (docs/internals/large-values.md).
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
/// <item>A value that is copied to another log is registered there until its record is linked: that log is truncated by
/// runs of its own. Within a log, only the run itself truncates.</item>
/// </list>
/// <para>Not thread-safe: one run and one thread, outside every epoch.</para>
/// </remarks>
/// <typeparam name="TEntries">The entries of the first tier.</typeparam>
/// <param name="from">The tier that is compacted.</param>
/// <param name="to">The tier to whose tail values are copied: the same, or the one below.</param>
/// <param name="heads">The large values of the compacted range.</param>
/// <param name="steps">The order of the truncation that follows.</param>
/// <param name="checkStop">Throws if the run must stop.</param>
internal sealed unsafe class LargeValueCopier<TEntries>(
    Tier from, Tier to, LargeHeads heads, TruncationSteps steps, Action checkStop)
    where TEntries : struct, IEntryAccess<TEntries>
{
    private readonly PagedLog _log = from.PagedLog!;
    private byte[] _buffer = [];
    private FragmentWrites.Write? _announced;

    /// <summary>
    /// Passes a record of the compacted range to <see cref="LargeHeads"/>. Called for each of them.
    /// </summary>
    public void Pass(in RecordWalker walker) => heads.Note(walker);

    /// <summary>Copies the value of a record to the tail, if the record is live.</summary>
    /// <param name="session">The run's session.</param>
    /// <param name="key">The record's key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="head">The head that the record holds.</param>
    /// <param name="value">
    /// The value slot's bytes in a copy of the record; its end is overwritten with the new head.
    /// </param>
    /// <param name="counters">Counts the bytes that were copied.</param>
    /// <returns>False when the record is dead, or its value has moved before.</returns>
    /// <exception cref="FasterException">The value could not be read or written.</exception>
    public bool TryCopyValue(
        LogSession session, in RecordKey key, ulong hash, long address, LargeHead head, Span<byte> value,
            CopyCounters counters)
    {
        if (!head.IsSound(address)) throw from.Storage!.NoRecord(address, 0);
        if (head.Lowest < _log.BeginAddress || !IsNewest(session, key, hash, address)) return false;
        if (from != to) _announced = to.PagedLog!.Writes.Begin(to.Log.TailAddress);
        if (LargeCopy.ToTail(from, to, head, hash, ref _buffer, _announced, checkStop) is not { } copy)
        {
            End();
            return false;
        }

        counters.BytesCopied += head.Length;
        copy.WriteTo(value[^LargeHead.Size..]);
        return true;
    }

    /// <summary>Ends the registration of a copy: its record is linked, or will not be. Idempotent.</summary>
    public void End()
    {
        _announced?.End();
        _announced = null;
    }

    /// <summary>
    /// Copies the values that begin in the compacted range and whose record lies above it.
    /// </summary>
    /// <param name="until">
    /// The range's end. A writer of such a value no longer links a record to fragments below it
    /// (<see cref="FragmentWrites"/>).
    /// </param>
    /// <param name="copy">Copies a record, given its address and a copy that is valid until the call returns.</param>
    public void CopyStraddling(long until, Action<long, IntPtr> copy)
    {
        List<long> found = heads.FindFrom(until, checkStop);
        if (found.Count == 0) return;
        if (from == to) steps.ShiftReadOnlyPastAsync(found.Max()).GetAwaiter().GetResult();
        foreach (long address in found)
        {
            checkStop();
            copy(address, (IntPtr)heads.Load(address, isImmutable: from == to));
        }
    }

    /// <summary>
    /// Whether a record is the newest of its key in its tier. Completes what the session has pending.
    /// </summary>
    public bool IsNewest(LogSession session, in RecordKey key, ulong hash, long address)
    {
        var answer = new NewestRecordCheck.Answer();
        var look = new NewestRecordCheck(address, answer);
        Status status = CompactionInsert.Run<
            ConditionalInsertAlgorithm<TEntries, NewestRecordCheck>, NewestRecordCheck>(
            session.RunnerOf(from), key, hash, ref look);
        if (status != Status.Pending) look.Complete(status, null);
        CompactionInsert.CompletePending(session);
        return answer.IsNewest;
    }
}
