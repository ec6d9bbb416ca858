using Faster.Compaction.Lookups;
using Faster.Index.Entries;
using Faster.Log.Reads;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Probes;

namespace Faster.Compaction.Copying;

/// <summary>
/// The stage that passes on the records that are the newest of their keys in their tier: those that move to the tier
/// below (hot-cold compaction, paper 003 §5.2).
/// </summary>
/// <remarks>
/// The conditional insert's search looks for newer ones. Of two records of a key in the compacted range, the search for
/// the older one finds the newer one; and a later range is not compacted before this one is done.
/// </remarks>
/// <typeparam name="TFrom">The entries of the tier.</typeparam>
/// <param name="thread">The thread that the stage belongs to.</param>
/// <param name="next">The next stage.</param>
/// <param name="lookups">Puts off searches that would wait for the disk.</param>
internal sealed class NewestRecords<TFrom>(CopyThread thread, ICopyStage next, DeferredLookups lookups) : ICopyStage
    where TFrom : struct, IEntryAccess<TFrom>
{
    private readonly List<(PageRecord Record, NewestRecordCheck.Answer Answer)> _pending = []; // wait for the disk
    private readonly OperationRunner _runner = thread.Session.RunnerOf(thread.Route.From);
    private NewestRecordCheck.Answer _answer = new(); // of the next search

    /// <inheritdoc/>
    public PutOffRecords PutOff => lookups.PutOff;

    /// <inheritdoc/>
    public void Prefetch(ulong hash) => thread.PrefetchEntry(hash);

    /// <inheritdoc/>
    public void Take(in PageRecord record, bool mayPutOff)
    {
        if (IsNotSearched(record))
        {
            next.Take(record, mayPutOff);
            return;
        }

        var check = new NewestRecordCheck(record.Address, _answer);
        bool isMade = CompactionInsert.TryRun<
            ConditionalInsertAlgorithm<TFrom, NewestRecordCheck>, NewestRecordCheck>(
            _runner, record, ref check, mayPutOff ? lookups : null, out Status status);
        if (!isMade) return;
        if (status == Status.Ok) next.Take(record, mayPutOff);
        if (status != Status.Pending) return;
        _pending.Add((record, _answer));
        _answer = new NewestRecordCheck.Answer();
    }

    /// <inheritdoc/>
    public void Settle()
    {
        CompactionInsert.CompletePending(thread.Session);
        foreach ((PageRecord record, NewestRecordCheck.Answer answer) in _pending)
            if (answer.IsNewest) next.Take(record, mayPutOff: true);
        _pending.Clear();
        next.Settle();
    }

    /// <inheritdoc/>
    public void LookUp(PageCopy page, bool all) => lookups.Resolve(page, this, all);

    private static bool IsNotSearched(in PageRecord record) => Probe.On && (Probe.Has(SeededBug.MoveWithoutSearch)
        || (Probe.Has(SeededBug.DeadHeadMovesWithoutSearch) && record.IsLarge && record.IsDead));
}
