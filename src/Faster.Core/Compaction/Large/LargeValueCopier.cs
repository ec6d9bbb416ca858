using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Sessions;
using Faster.Store.Large;
using Faster.Store.Operations;
using Faster.Tiers;

namespace Faster.Compaction.Large;

/// <summary>
/// Copies values in fragments to the tail: those of records in the compacted range of the log, and those that only
/// begin there and whose record lies above it (docs/internals/large-values.md).
/// </summary>
/// <remarks>
/// <para>First the record is looked up, so that the fragments of a dead one are not copied; then its fragments are
/// copied, with one in memory at a time; then the record is inserted conditionally, with the new head. If the record
/// was superseded meanwhile, the new fragments belong to no key, and a later compaction reclaims them.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record is immutable when it is read to be copied.</item>
/// <item>A record's new head leads to fragments that were all written before the record is inserted.</item>
/// </list>
/// <para>Not thread-safe: one run and one thread, outside every epoch.</para>
/// </remarks>
internal sealed unsafe class LargeValueCopier<TProbe, TEntries>(
    Tier<TProbe> tier, LargeHeads<TProbe> heads, TruncationSteps<TProbe> steps, Action checkStop)
    where TProbe : struct, IProbe
    where TEntries : struct, IEntryAccess<TEntries>
{
    private readonly PagedLog<TProbe> _log = tier.PagedLog!;
    private byte[] _buffer = [];

    /// <summary>
    /// Passes a record of the compacted range to <see cref="LargeHeads{TProbe}"/>. Called for each of them.
    /// </summary>
    public void Pass(in RecordWalker walker) => heads.Note(walker);

    /// <summary>Copies the value of a record to the tail, if the record is live.</summary>
    /// <param name="session">The run's session.</param>
    /// <param name="key">The record's key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="value">
    /// The value slot's bytes in a copy of the record; its end is overwritten with the new head.
    /// </param>
    /// <param name="counters">Counts the bytes that were copied.</param>
    /// <returns>False when the record is dead.</returns>
    /// <exception cref="FasterException">The value could not be read or written.</exception>
    public bool TryCopyValue(
        LogSession<TProbe> session, in RecordKey key, ulong hash, long address, Span<byte> value,
            CopyCounters counters)
    {
        LargeHead head = LargeHead.AtEndOf(value);
        if (!head.IsSound(address)) throw tier.Storage!.NoRecord(address, 0);
        if (head.Lowest < _log.BeginAddress || !IsNewest(session, key, hash, address)) return false;
        if (LargeCopy.ToTail(tier, tier, head, hash, ref _buffer, checkStop) is not { } copy) return false;
        counters.BytesCopied += head.Length;
        copy.WriteTo(value[^LargeHead.Size..]);
        return true;
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
        steps.ShiftReadOnlyPastAsync(found.Max()).GetAwaiter().GetResult();
        foreach (long address in found)
        {
            checkStop();
            copy(address, (IntPtr)heads.Load(address));
        }
    }

    private bool IsNewest(LogSession<TProbe> session, in RecordKey key, ulong hash, long address)
    {
        var answer = new NewestRecordCheck.Answer();
        var look = new NewestRecordCheck(address, answer);
        Status status = CompactionInsert<TProbe>.Run<
            ConditionalInsertAlgorithm<TProbe, TEntries, NewestRecordCheck>, NewestRecordCheck>(
            session.RunnerOf(tier), key, hash, ref look);
        look.Complete(status, null);
        CompactionInsert<TProbe>.CompletePending(session);
        return answer.IsNewest;
    }
}
