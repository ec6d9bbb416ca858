using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Sweeps;

/// <summary>
/// The records of some pages that are the newest of their keys in their tier: those that move to the tier below
/// (hot-cold compaction, paper 003 §5.2).
/// </summary>
/// <remarks>
/// <para>The conditional insert's search looks for newer ones. Of two records of a key in the compacted range, the
/// search for the older one finds the newer one; and a later range is not compacted before this one is done.</para>
/// <para>Not thread-safe: it belongs to a thread of the compaction. Records lie in the copies of pages, which stay
/// until <see cref="Complete"/> has returned.</para>
/// </remarks>
internal sealed unsafe class NewestRecords<TFrom>(LogSession session, Tier tier)
    where TFrom : struct, IEntryAccess<TFrom>
{
    private readonly List<Place> _newest = [];
    private readonly List<(Place Record, NewestRecordCheck.Answer Answer)> _pending = []; // wait for the disk
    private readonly OperationRunner _runner = session.RunnerOf(tier);
    private NewestRecordCheck.Answer _answer = new(); // of the next search

    /// <summary>Begins to look whether a record is its key's newest.</summary>
    /// <param name="record">The record.</param>
    /// <param name="address">Its address.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="key">Its key.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="lookups">Puts off what would wait for the disk; null if nothing is.</param>
    /// <returns>False: the search is put off.</returns>
    public bool TryCheck(byte* record, long address, long size, in RecordKey key, ulong hash, DeferredLookups? lookups)
    {
        var place = new Place(hash, address, size);
        if (Probe.On && Probe.Has(SeededBug.MoveWithoutSearch))
        {
            _newest.Add(place);
            return true;
        }

        var check = new NewestRecordCheck(address, _answer);
        Outcome first = CompactionInsert.Try<
            ConditionalInsertAlgorithm<TFrom, NewestRecordCheck>, NewestRecordCheck>(
            _runner, key, hash, ref check);
        if (first == Outcome.OnDisk && lookups?.TryDefer(address, record, _runner.Attempt.Wanted) == true)
            return false;
        Status status = CompactionInsert.Finish<
            ConditionalInsertAlgorithm<TFrom, NewestRecordCheck>, NewestRecordCheck>(
            _runner, key, hash, ref check, first);
        if (status == Status.Ok) _newest.Add(place);
        if (status != Status.Pending) return true;
        _pending.Add((place, _answer));
        _answer = new NewestRecordCheck.Answer();
        return true;
    }

    /// <summary>Completes all searches, and adds the newest records to a batch.</summary>
    public void Complete(CopyBatch batch)
    {
        CompactionInsert.CompletePending(session);
        _newest.AddRange(_pending.Where(static found => found.Answer.IsNewest).Select(static found => found.Record));
        _pending.Clear();
        foreach (Place place in _newest) batch.Add(place.Hash, place.Address, place.Size);
        _newest.Clear();
    }

    private readonly record struct Place(ulong Hash, long Address, long Size);
}
