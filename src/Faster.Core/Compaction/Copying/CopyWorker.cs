using Faster.Compaction.Large;
using Faster.Compaction.Lookups;
using Faster.Compaction.Merging;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Sessions;
using Faster.Store;
using Faster.Store.Merging;
using Faster.Store.Operations;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>One thread's share of a compaction: its session, its page buffer, and its counters.</summary>
/// <remarks>Not thread-safe: it belongs to the thread that has created it. Used outside every epoch.</remarks>
/// <typeparam name="TProbe">The probe.</typeparam>
/// <typeparam name="TFrom">The entries of the tier whose records are copied.</typeparam>
/// <typeparam name="TTo">The entries of the tier to whose tail they are copied.</typeparam>
internal sealed unsafe class CopyWorker<TProbe, TFrom, TTo> : IDisposable
    where TProbe : struct, IProbe
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    /// <summary>The name under which a compaction holds epochs, for messages.</summary>
    internal const string Owner = "the store's compaction";

    private const int PrefetchAhead = 8;

    private readonly Tier<TProbe> _from;
    private readonly PagedLog<TProbe> _log;
    private readonly LivenessFilter<TProbe> _liveness;
    private readonly Func<bool> _mustStop;
    private readonly CopyPause<TProbe>? _pause;
    private readonly PageCopy<TProbe>[] _pages; // filled before the copies of their records are made
    private readonly IEntrySweep? _sweep;
    private readonly LargeValueCopier<TProbe, TFrom> _large;
    private readonly DeferredLookups<TProbe>? _lookups; // null: each look-up is made at once
    private readonly LogSession<TProbe> _session;
    private readonly OperationRunner<TProbe> _runner;
    private readonly CollapseRun<TProbe>? _collapses;
    private readonly CopyBelow<TProbe, TFrom, TTo>? _below; // null unless the copies go to another tier
    private bool _isCopying; // it has entered the pause; after a failure until what was pending is complete

    /// <summary>Creates a worker with its own session, which must be disposed of.</summary>
    /// <param name="from">The tier whose records are copied.</param>
    /// <param name="to">The tier to whose tail they are copied.</param>
    /// <param name="liveness">Excludes records that are known to be dead without a lookup.</param>
    /// <param name="steps">The order of the truncation that follows.</param>
    /// <param name="heads">The large values of the compacted range.</param>
    /// <param name="held">The deltas that are kept from being updated; null where updates do not merge.</param>
    /// <param name="memory">The worker's memory.</param>
    /// <param name="mustStop">Whether the run must end early.</param>
    /// <param name="pause">As for the run.</param>
    public CopyWorker(
        Tier<TProbe> from, Tier<TProbe> to, LivenessFilter<TProbe> liveness, TruncationSteps<TProbe> steps,
        LargeHeads<TProbe> heads, HeldDeltas<TProbe>? held, CopyMemory memory, Func<bool> mustStop,
        CopyPause<TProbe>? pause)
    {
        (_from, _log, _liveness, _mustStop, _pause) = (from, from.PagedLog!, liveness, mustStop, pause);
        _pages = [.. Enumerable.Range(0, memory.Pages).Select(
            _ => new PageCopy<TProbe>(from.Core.Epochs, _log, from.Storage!, Owner))];
        _large = new LargeValueCopier<TProbe, TFrom>(from, to, heads, steps, CheckStop);
        _session = from.Core.StartInternal(Owner);
        _runner = _session.RunnerOf(to);
        if (from != to)
        {
            _sweep = to.Entries.BeginSweep();
            _below = new CopyBelow<TProbe, TFrom, TTo>(_session, from, to, Counters, _sweep);
        }

        if (memory.LookupBytes != 0)
        {
            _lookups = new DeferredLookups<TProbe>(_log, from.Storage!, memory.LookupBytes, CheckStop);
        }

        if (held is not null)
            _collapses = new CollapseRun<TProbe>(from.Schema, from.Layout, held, Counters, _session);
        _ = TailThrottle.Pass(true);
    }

    /// <summary>The records and bytes that the worker has examined and copied.</summary>
    public CopyCounters Counters { get; } = new();

    /// <summary>Copies the live records of the pages that the worker takes from the frontier.</summary>
    public void CopyPages(PageFrontier frontier)
    {
        int filled = 0;
        while (frontier.TryTake(out long start, out long end))
        {
            long copied = Counters.BytesCopied;
            for (RecordBoundary at = _log.WalkStartOf(start); at.Address < end;)
            {
                CopyPage(_pages[filled++].Walk(ref at, end));
                if (filled < _pages.Length) continue;
                CompleteInserts();
                filled = 0;
            }

            if (_lookups?.IsNearlyFull() == true) CopyDeferred();
            frontier.CountCopied(Counters.BytesCopied - copied);
        }

        CompleteInserts();
        if (_lookups is not null) CopyDeferred();
    }


    /// <summary>
    /// Copies the values that begin below an address and whose record lies above it. All pages have been walked before.
    /// </summary>
    public void CopyStraddling(long until) => _large.CopyStraddling(until, (address, record) =>
    {
        byte* bytes = (byte*)record;
        Counters.Examined++;
        CopyIfLive(bytes, RecordHeader.Read(bytes), address, defers: false);
        CompactionInsert<TProbe>.CompletePending(_session); // as above
    });

    /// <summary>Completes pending operations, and ends the session.</summary>
    public void Dispose()
    {
        // First, because a pending operation may wait for another one that waits for a record that is still sealed.
        _collapses?.ReleaseAll();
        try
        {
            _session.Dispose(); // the page must outlive all operations
        }
        catch (Exception e)
        {
            _from.Core.OnFault(e); // the copies are complete, or the run has failed already
        }

        if (_isCopying) _pause?.Leave();
        _ = TailThrottle.Pass(false);
        _lookups?.Dispose();
        foreach (PageCopy<TProbe> page in _pages) page.Dispose();
        _sweep?.Dispose();
    }

    private void CopyPage(RecordWalker walker)
    {
        if (_below is null) BeginCopying();
        RecordWalker ahead = walker; // prefetches the buckets of the records to come
        for (int i = 0; i < PrefetchAhead && ahead.MoveNext(); i++) Prefetch(ahead);
        while (walker.MoveNext())
        {
            if (ahead.MoveNext()) Prefetch(ahead);
            CopyIfLive(walker);
        }
    }

    private void Prefetch(in RecordWalker walker)
    {
        if (_from.Entries == _from.Index && !ValueFragment.Is(walker.Header))
            _from.Index.Prefetch(_log.Layout.Hash(walker.Record, _from.Seed));
    }

    // Copies the records whose look-ups were put off, and did not find them superseded.
    private void CopyDeferred()
    {
        List<long> left = _lookups!.Resolve();
        for (int i = 0; i < left.Count;)
        {
            long start = _log.PageStartOf(left[i]), end = _log.PageEndOf(left[i]);
            byte* page = _pages[0].Load(start, end);
            BeginCopying();
            for (; i < left.Count && left[i] < end; i++)
            {
                CheckStop();
                byte* record = page + (left[i] - start);
                CopyIfLive(record, RecordHeader.Read(record), left[i], defers: false);
            }

            CompleteInserts();
        }
    }

    // The inserts refer to the bytes of the pages.
    private void CompleteInserts()
    {
        BeginCopying();
        _below?.InsertChecked(Breathe);
        EndCopying();
    }

    private void BeginCopying()
    {
        if (!_isCopying) _pause?.Enter();
        _isCopying = true;
    }

    private void EndCopying()
    {
        CompactionInsert<TProbe>.CompletePending(_session);
        _isCopying = false;
        _pause?.Leave();
    }

    private void Breathe()
    {
        CheckStop();
        EndCopying();
        BeginCopying();
    }

    private void CopyIfLive(in RecordWalker walker)
    {
        CheckStop();
        Counters.Examined++;
        _large.Pass(walker);
        CopyIfLive(walker.Record, walker.Header, walker.Address, defers: true);
    }

    // The record lies in a copy of its page, which does not move: pointers into it stay valid after the fixed block.
    private void CopyIfLive(byte* record, ulong header, long address, bool defers)
    {
        if (!_liveness.MayLive(address, header)) return;
        bool isDead = (header & RecordHeader.Expiring) != 0
            && RecordExpiry.IsDead(_log.Layout, record, header, _from.Core.Clock.Now);
        if (isDead && _below is null) return;
        ulong hash = _log.Layout.Hash(record, _from.Seed);
        var key = new RecordKey(record + RecordHeader.Size, _log.Layout.KeySlotSize(record), hash);
        if (_below is not null)
        {
            if (isDead) header |= RecordHeader.Tombstone;
            _below.Check(record, header, address, key, hash);
            return;
        }

        if (_collapses is not null)
        {
            var collapse = new RecordCollapse<TProbe>(_collapses, address, header, record);
            Status merged = CompactionInsert<TProbe>.Run<
                CollapseAlgorithm<TProbe, TTo, RecordCollapse<TProbe>>, RecordCollapse<TProbe>>(
                _runner, key, hash, ref collapse);
            if (merged != Status.Pending) collapse.Complete(merged, null);
            return;
        }

        ReadOnlySpan<byte> value = _log.Layout.Value(record);
        fixed (byte* bytes = value)
        {
            var slot = new Span<byte>(bytes, value.Length);
            if (LargeHead.IsIn(header) && !_large.TryCopyValue(_session, key, hash, address, slot, Counters)) return;
            var copy = new CopyToTail(
                address, LivenessFilter<TProbe>.FlagsOf(header), _log.Layout.Expiry(record), bytes, value.Length,
                _log.Layout.RecordSize(record), Counters);
            Outcome first = CompactionInsert<TProbe>.Try<
                ConditionalInsertAlgorithm<TProbe, TTo, CopyToTail>, CopyToTail>(_runner, key, hash, ref copy);
            if (first == Outcome.OnDisk && defers
                && _lookups?.TryDefer(address, record, _runner.Attempt.Wanted) == true) return;
            Status status = CompactionInsert<TProbe>.Finish<
                ConditionalInsertAlgorithm<TProbe, TTo, CopyToTail>, CopyToTail>(_runner, key, hash, ref copy, first);
            if (status != Status.Pending) copy.Complete(status, null);
        }
    }

    private void CheckStop()
    {
        if (_mustStop()) throw new OperationCanceledException("The compaction was stopped.");
    }
}
