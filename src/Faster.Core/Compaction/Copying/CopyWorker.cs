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
using Faster.LogSessions;
using Faster.Memory;
using Faster.Operations;
using Faster.Operations.Merging;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>One thread's share of a compaction: its session, its page buffer, and its counters.</summary>
/// <remarks>Not thread-safe: it belongs to the thread that has created it. Used outside every epoch.</remarks>
/// <typeparam name="TEntries">The entries of the tier.</typeparam>
internal sealed unsafe class CopyWorker<TEntries> : ICopyWorker
    where TEntries : struct, IEntryAccess<TEntries>
{
    /// <summary>The name under which a compaction holds epochs, for messages.</summary>
    internal const string Owner = "the store's compaction";

    private const int PrefetchAhead = 8;

    private readonly Tier _tier;
    private readonly PagedLog _log;
    private readonly LivenessFilter _liveness;
    private readonly Func<bool> _mustStop;
    private readonly PageCopy _page;
    private readonly LargeValueCopier<TEntries> _large;
    private readonly DeferredLookups? _lookups; // null: each look-up is made at once
    private readonly NativeBlock? _lookupMemory;
    private readonly LogSession _session;
    private readonly OperationRunner _runner;
    private readonly CollapseRun? _collapses;

    /// <summary>Creates a worker with its own session, which must be disposed of.</summary>
    /// <param name="tier">The tier.</param>
    /// <param name="liveness">Excludes records that are known to be dead without a lookup.</param>
    /// <param name="steps">The order of the truncation that follows.</param>
    /// <param name="heads">The large values of the compacted range.</param>
    /// <param name="held">The deltas that are kept from being updated; null where updates do not merge.</param>
    /// <param name="lookupBytes">The memory for look-ups that are put off; 0: none is.</param>
    /// <param name="mustStop">Whether the run must end early.</param>
    public CopyWorker(
        Tier tier, LivenessFilter liveness, TruncationSteps steps, LargeHeads heads,
        HeldDeltas? held, long lookupBytes, Func<bool> mustStop)
    {
        (_tier, _log, _liveness, _mustStop) = (tier, tier.PagedLog!, liveness, mustStop);
        _page = new PageCopy(tier.Core.Epochs, _log, tier.Storage!, Owner);
        _large = new LargeValueCopier<TEntries>(tier, tier, heads, steps, CheckStop);
        _session = LogStoreCore.Of(tier).StartInternal(Owner);
        _runner = _session.RunnerOf(tier);
        if (lookupBytes != 0)
        {
            _lookupMemory = new NativeBlock(lookupBytes);
            var memory = LookupMemory.Of(_lookupMemory.Pointer, lookupBytes);
            _lookups = new DeferredLookups(_log, tier.Storage!, memory, CheckStop);
        }

        if (held is not null)
            _collapses = new CollapseRun(tier.Schema, tier.Layout, held, Counters, _session);
        _ = TailThrottle.Pass(true);
    }

    /// <inheritdoc/>
    public CopyCounters Counters { get; } = new();

    /// <inheritdoc/>
    public void CopyPages(PageFrontier frontier)
    {
        while (frontier.TryTake(out long start, out long end))
        {
            long copied = Counters.BytesCopied;
            for (RecordBoundary at = _log.WalkStartOf(start); at.Address < end;)
            {
                CopyPage(_page.Walk(ref at, end));
                CompactionInsert.CompletePending(_session); // the inserts refer to the bytes of the page
            }

            if (_lookups?.IsNearlyFull() == true) CopyDeferred();
            frontier.CountCopied(Counters.BytesCopied - copied);
        }

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
        CompactionInsert.CompletePending(_session); // as above
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
            _tier.Core.OnFault(e); // the copies are complete, or the run has failed already
        }

        _ = TailThrottle.Pass(false);
        _lookups?.Dispose();
        _lookupMemory?.Dispose();
        _page.Dispose();
    }

    private void CopyPage(RecordWalker walker)
    {
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
        if (_tier.Entries == _tier.Index && !ValueFragment.Is(walker.Header))
            _tier.Index.Prefetch(_log.Layout.Hash(walker.Record, _tier.Seed));
    }

    // Copies the records whose look-ups were put off, and did not find them superseded.
    private void CopyDeferred()
    {
        _lookups!.Resolve(
            _page, (bytes, address) =>
            {
                var record = (byte*)bytes;
                CopyIfLive(record, RecordHeader.Read(record), address, defers: false);
            },
            () => CompactionInsert.CompletePending(_session));
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
            && RecordExpiry.IsDead(_log.Layout, record, header, _tier.Core.Clock.Now);
        if (isDead) return;
        ulong hash = _log.Layout.Hash(record, _tier.Seed);
        var key = new RecordKey(record + RecordHeader.Size, _log.Layout.KeySlotSize(record), hash);
        if (_collapses is not null)
        {
            _collapses.Collapse<TEntries>(_runner, key, hash, address, header, record);
            return;
        }

        ReadOnlySpan<byte> value = _log.Layout.Value(record);
        fixed (byte* bytes = value)
        {
            var slot = new Span<byte>(bytes, value.Length);
            if (LargeHead.IsIn(header)
                && !_large.TryCopyValue(_session, key, hash, address, LargeHead.AtEndOf(slot), slot, Counters)) return;
            var copy = new CopyToTail(
                address, LivenessFilter.FlagsOf(header), _log.Layout.Expiry(record), bytes, value.Length,
                _log.Layout.RecordSize(record), Counters);
            Outcome first = CompactionInsert.Try<
                ConditionalInsertAlgorithm<TEntries, CopyToTail>, CopyToTail>(_runner, key, hash, ref copy);
            if (first == Outcome.OnDisk && defers
                && _lookups?.TryDefer(address, record, _runner.Attempt.Wanted) == true) return;
            Status status = CompactionInsert.Finish<
                ConditionalInsertAlgorithm<TEntries, CopyToTail>, CopyToTail>(
                _runner, key, hash, ref copy, first);
            if (status != Status.Pending) copy.Complete(status, null);
        }
    }

    private void CheckStop()
    {
        if (_mustStop()) throw new OperationCanceledException("The compaction was stopped.");
    }
}
