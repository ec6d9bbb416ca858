using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// Copies values in chunks to the tail: those of records in the part of the log that is compacted, and those that only
/// begin there and whose record lies above it (docs/COMPACTION.md).
/// </summary>
/// <remarks>
/// <para>A record is looked up first, so that the chunks of a dead one are not copied; then its chunks are, one in
/// memory at a time; then the record is inserted conditionally, with the new head. If it was superseded meanwhile the
/// new chunks are garbage, and nothing else.</para>
/// <para>Invariant: a record is immutable when it is looked at for its copy. One run, one thread, outside every
/// epoch.</para>
/// </remarks>
internal sealed unsafe class LargeCopier<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly FasterStore<TProbe> _store;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly GivingUp<TProbe> _giving;
    private readonly LargeHeads<TProbe> _heads;
    private readonly Action _checkStop;
    private byte[] _buffer = [];

    /// <summary>For one run.</summary>
    public LargeCopier(
        FasterStore<TProbe> store, PagedLog<TProbe> log, LogStorage storage, GivingUp<TProbe> giving, string owner,
        Action checkStop)
    {
        (_store, _log, _storage, _giving, _checkStop) = (store, log, storage, giving, checkStop);
        _heads = new LargeHeads<TProbe>(store, log, storage, owner);
    }

    /// <summary>Takes note of every record of the part that is compacted, in order.</summary>
    public void Pass(in RecordWalker walker) => _heads.Note(walker);

    /// <summary>Copies the value of a record to the tail, if it lives.</summary>
    /// <param name="session">The run's session.</param>
    /// <param name="key">The record's key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="value">
    /// The value slot's bytes in a copy of the record, which ends with the new head then.
    /// </param>
    /// <param name="tally">Counts the bytes that were copied.</param>
    /// <returns>False: the record is dead.</returns>
    /// <exception cref="FasterException">The value could not be read or written.</exception>
    public bool TryCopyValue(
        FasterSession<TProbe> session, in RecordKey key, ulong hash, long address, Span<byte> value, CopyTally tally)
    {
        LargeHead head = LargeHead.AtEndOf(value);
        if (!head.IsSound(address)) throw _storage.NoRecord(address, 0);
        if (head.Lowest < _log.BeginAddress || !IsNewest(session, key, hash, address)) return false;
        if (LargeCopy.ToTail(_store, head, hash, ref _buffer, _checkStop) is not { } copy) return false;
        tally.BytesCopied += head.Length;
        copy.WriteTo(value[^LargeHead.Size..]);
        return true;
    }

    /// <summary>
    /// Copies the values that begin in the part that is compacted and whose record does not lie in it.
    /// </summary>
    /// <param name="until">
    /// The part's end. Who writes such a value now links no record to what lies below (<see cref="ChunkWrites"/>).
    /// </param>
    /// <param name="copy">Copies a record, given by address and a copy that stays until the call returns.</param>
    public void CopyStraddling(long until, Action<long, IntPtr> copy)
    {
        List<long> found = _heads.FindFrom(until, _checkStop);
        if (found.Count == 0) return;
        _giving.FreezePastAsync(found.Max()).GetAwaiter().GetResult();
        foreach (long address in found)
        {
            _checkStop();
            copy(address, (IntPtr)_heads.Load(address));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _heads.Dispose();

    private static bool IsNewest(FasterSession<TProbe> session, in RecordKey key, ulong hash, long address)
    {
        var answer = new RecordLook.Answer();
        var look = new RecordLook(address, answer);
        Status status = LiveCopier<TProbe>.Insert<ConditionalInsertProtocol<TProbe, RecordLook>, RecordLook>(
            session, key, hash, ref look);
        look.Complete(status, null);
        LiveCopier<TProbe>.CompletePending(session);
        return answer.IsNewest;
    }
}
