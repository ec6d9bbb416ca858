using Faster.Compaction.Large;
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

    private readonly Tier<TProbe> _from;
    private readonly PagedLog<TProbe> _log;
    private readonly LivenessFilter<TProbe> _liveness;
    private readonly Func<bool> _mustStop;
    private readonly CopyPause<TProbe>? _pause;
    private bool _isAmidPage;
    private readonly PageCopy<TProbe> _page;
    private readonly LargeValueCopier<TProbe, TFrom> _large;
    private readonly LogSession<TProbe> _session;
    private readonly OperationRunner<TProbe> _runner;
    private readonly CollapseRun<TProbe>? _collapses;
    private readonly CopyBelow<TProbe, TFrom, TTo>? _below; // null unless the copies go to another tier

    /// <summary>Creates a worker with its own session, which must be disposed of.</summary>
    /// <param name="from">The tier whose records are copied.</param>
    /// <param name="to">The tier to whose tail they are copied.</param>
    /// <param name="liveness">Excludes records that are known to be dead without a lookup.</param>
    /// <param name="steps">The order of the truncation that follows.</param>
    /// <param name="heads">The large values of the compacted range.</param>
    /// <param name="held">The deltas that are kept from being updated; null where updates do not merge.</param>
    /// <param name="mustStop">Whether the run must end early.</param>
    /// <param name="pause">As for the run.</param>
    public CopyWorker(
        Tier<TProbe> from, Tier<TProbe> to, LivenessFilter<TProbe> liveness, TruncationSteps<TProbe> steps,
        LargeHeads<TProbe> heads, HeldDeltas<TProbe>? held, Func<bool> mustStop, CopyPause<TProbe>? pause)
    {
        (_from, _log, _liveness, _mustStop, _pause) = (from, from.PagedLog!, liveness, mustStop, pause);
        _page = new PageCopy<TProbe>(from.Core.Epochs, _log, from.Storage!, Owner);
        _large = new LargeValueCopier<TProbe, TFrom>(from, to, heads, steps, CheckStop);
        _session = from.Core.StartInternal(Owner);
        _runner = _session.RunnerOf(to);
        if (from != to) _below = new CopyBelow<TProbe, TFrom, TTo>(_session, from, to, Counters);
        if (held is not null)
            _collapses = new CollapseRun<TProbe>(from.Schema, from.Layout, held, Counters, _session);
        _ = TailThrottle.Pass(true);
    }

    /// <summary>The records and bytes that the worker has examined and copied.</summary>
    public CopyCounters Counters { get; } = new();

    /// <summary>Copies the live records of the pages that the worker takes from the frontier.</summary>
    public void CopyPages(PageFrontier frontier)
    {
        while (frontier.TryTake(out long start, out long end))
        {
            _pause?.Enter();
            _isAmidPage = true; // after a failure until Dispose has completed what is pending
            CopyPage(start, end);
            _isAmidPage = false;
            _pause?.Leave();
        }
    }

    /// <summary>
    /// Copies the values that begin below an address and whose record lies above it. All pages have been walked before.
    /// </summary>
    public void CopyStraddling(long until) => _large.CopyStraddling(until, (address, record) =>
    {
        byte* bytes = (byte*)record;
        Counters.Examined++;
        CopyIfLive(bytes, RecordHeader.Read(bytes), address);
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

        if (_isAmidPage) _pause?.Leave();
        _ = TailThrottle.Pass(false);
        _page.Dispose();
    }

    private void CopyPage(long start, long end)
    {
        for (RecordBoundary at = _log.WalkStartOf(start); at.Address < end;)
        {
            RecordWalker walker = _page.Walk(ref at, end);
            while (walker.MoveNext()) CopyIfLive(walker);
            CompactionInsert<TProbe>.CompletePending(_session); // they refer to the page's bytes
            _below?.InsertChecked();
        }
    }

    private void CopyIfLive(in RecordWalker walker)
    {
        CheckStop();
        Counters.Examined++;
        _large.Pass(walker);
        CopyIfLive(walker.Record, walker.Header, walker.Address);
    }

    // The record lies in a copy of its page, which does not move: pointers into it stay valid after the fixed block.
    private void CopyIfLive(byte* record, ulong header, long address)
    {
        if (!_liveness.MayLive(address, header)) return;
        bool isDead = RecordExpiry.IsDead(_log.Layout, record, header, _from.Core.Clock.Now);
        if (isDead && _below is null) return;
        ulong hash = _log.Layout.Hash(record, _from.Seed);
        var key = new RecordKey(record + RecordHeader.Size, _log.Layout.KeySlotSize(record), hash);
        if (_below is not null)
        {
            if (isDead) header |= RecordHeader.Tombstone;
            _below.CheckAndInsert(record, header, address, key, hash);
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
            Status status = CompactionInsert<TProbe>.Run<
                ConditionalInsertAlgorithm<TProbe, TTo, CopyToTail>, CopyToTail>(_runner, key, hash, ref copy);
            if (status != Status.Pending) copy.Complete(status, null);
        }
    }

    private void CheckStop()
    {
        if (_mustStop()) throw new OperationCanceledException("The compaction was stopped.");
    }
}
