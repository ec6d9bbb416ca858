using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.LogSessions;

namespace Faster.Compaction.Copying;

/// <summary>
/// A thread of a run with its session, which its stages share; whether it is amid copies; and the walk over a page.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The thread passes the throttle of the log's tail from its creation to its disposal.</item>
/// <item>After a failure it leaves the pause of commits only when none of its operations is pending.</item>
/// </list>
/// <para>What its operations refer to, such as the copy of a page, must be disposed of after it. Not thread-safe: it
/// belongs to the thread that has created it. Used outside every epoch.</para>
/// </remarks>
internal sealed unsafe class CopyThread : IDisposable
{
    /// <summary>The name under which a compaction holds epochs, for messages.</summary>
    public const string Owner = "the store's compaction";

    private const int PrefetchAhead = 8;

    private readonly Func<bool> _mustStop;
    private bool _isCopying;

    /// <summary>Begins a thread's share, with a session of its own.</summary>
    /// <param name="run">The run.</param>
    /// <param name="mustStop">Whether the thread must stop: the run must, or another thread has failed.</param>
    /// <param name="counters">Counts what the thread examines and copies.</param>
    public CopyThread(CopyRun run, Func<bool> mustStop, CopyCounters counters)
    {
        (Run, _mustStop, Counters) = (run, mustStop, counters);
        Session = LogStoreCore.Of(run.Route.From).StartInternal(Owner);
        _ = TailThrottle.Pass(true);
    }

    /// <summary>What the threads of the run share.</summary>
    public CopyRun Run { get; }

    /// <summary>From where to where the run copies.</summary>
    public CopyRoute Route => Run.Route;

    /// <summary>The thread's session.</summary>
    public LogSession Session { get; }

    /// <summary>Counts what the thread examines and copies.</summary>
    public CopyCounters Counters { get; }

    /// <summary>Throws if the thread must stop.</summary>
    /// <exception cref="OperationCanceledException">It must.</exception>
    public void CheckStop()
    {
        if (_mustStop()) throw new OperationCanceledException("The compaction was stopped.");
    }

    /// <summary>A record in a copy of its page.</summary>
    public PageRecord RecordAt(byte* bytes, long address) => new(Route.From, bytes, address);

    /// <summary>
    /// Whether a record stays behind without a look-up: nothing older remains that it could hide.
    /// </summary>
    public bool IsLeftBehind(in PageRecord record) => Route.IsWithinLog && record.IsDead;

    /// <summary>Prefetches what an operation of a key reads first in the compacted tier.</summary>
    public void PrefetchEntry(ulong hash)
    {
        if (Route.From.Entries == Route.From.Index) Route.From.Index.Prefetch(hash);
    }

    /// <summary>Has a stage take the records of a page that may be live.</summary>
    public void Walk(RecordWalker walker, ICopyStage first)
    {
        RecordWalker ahead = walker; // prefetches for the records to come
        for (int i = 0; i < PrefetchAhead && ahead.MoveNext(); i++) Prefetch(ahead, first);
        while (walker.MoveNext())
        {
            if (ahead.MoveNext()) Prefetch(ahead, first);
            CheckStop();
            Counters.Examined++;
            Run.Heads.Note(walker);
            if (!Route.Liveness.MayLive(walker.Address, walker.Header)) continue;
            PageRecord record = RecordAt(walker.Record, walker.Address);
            if (!IsLeftBehind(record)) first.Take(record, mayPutOff: true);
        }
    }

    /// <summary>Called before copies are made; waits while a commit captures what they change. Idempotent.</summary>
    public void BeginCopying()
    {
        if (_isCopying) return;
        Route.Pause.Enter();
        _isCopying = true;
    }

    /// <summary>Completes what is pending, and lets commits go on that wait for the copies. Idempotent.</summary>
    public void EndCopying()
    {
        CompactionInsert.CompletePending(Session);
        if (!_isCopying) return;
        _isCopying = false;
        Route.Pause.Leave();
    }

    /// <summary>Completes pending operations, and ends the session.</summary>
    public void Dispose()
    {
        // First, because a pending operation may wait for another one that waits for a record that is still sealed.
        Run.Held.LiftAll(Session.Slot);
        try
        {
            Session.Dispose();
        }
        catch (Exception e)
        {
            Route.From.Core.OnFault(e); // the copies are complete, or the run has failed already
        }

        if (_isCopying) Route.Pause.Leave();
        _ = TailThrottle.Pass(false);
    }

    private void Prefetch(in RecordWalker walker, ICopyStage first)
    {
        if (!ValueFragment.Is(walker.Header)) first.Prefetch(Route.Log.Layout.Hash(walker.Record, Route.From.Seed));
    }
}
