using Faster.Compaction.Copying;
using Faster.Compaction.Large;
using Faster.Compaction.Lookups;
using Faster.Compaction.Merging;
using Faster.Compaction.Truncation;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Sweeps;

/// <summary>One thread's share of a <see cref="SweptCopier{TFrom, TTo}"/>'s run.</summary>
/// <remarks>Not thread-safe: it belongs to the thread that has created it. Used outside every epoch.</remarks>
internal sealed unsafe class SweptCopyWorker<TFrom, TTo> : ICopyWorker
    where TFrom : struct, IEntryAccess<TFrom>
    where TTo : struct, IEntryAccess<TTo>
{
    /// <summary>The name under which a compaction holds epochs, for messages.</summary>
    internal const string Owner = "a compaction between tiers";

    private const int PrefetchAhead = 8, InsertsInOneBreath = 256;

    private readonly Tier _from;
    private readonly Tier _to;
    private readonly PagedLog _log;
    private readonly LivenessFilter _liveness;
    private readonly CopyBatches _batches;
    private readonly CopyPause _pause;
    private readonly Func<bool> _mustStop;
    private readonly LogSession _session;
    private readonly NewestRecords<TFrom>? _newest; // null: the insert looks for newer records
    private readonly RecordsAbove? _above; // null: there is no tier above, or its updates merge
    private readonly SweptInserts<TTo> _inserts;
    private readonly CollapseRun? _collapses; // null: there are no deltas
    private readonly LargeValueCopier<TFrom>? _large; // null: no value has fragments
    private CopyBatch? _batch;
    private PageReads? _reads; // in the memory of the batch
    private DeferredLookups? _lookups; // null: each is made at once
    private DeferredLookups? _lookupsAbove; // in the same memory, before the others
    private long _gathered; // bytes of the batch's records that were counted
    private long _gatheredLarge; // bytes of values in fragments that were not
    private bool _isCopying; // it has entered the pause; after a failure until what was pending is complete

    /// <summary>Creates a worker with its own session, which must be disposed of.</summary>
    public SweptCopyWorker(
        Tier from, Tier to, LargeHeads? heads, HeldDeltas? held,
        TruncationSteps steps, LivenessFilter liveness, CopyBatches batches,
        CopyPause pause, Func<bool> mustStop, Func<LogSession, RecordsAbove>? above = null)
    {
        (_from, _to, _log, _liveness, _batches) = (from, to, from.PagedLog!, liveness, batches);
        (_pause, _mustStop) = (pause, mustStop);
        _session = LogStoreCore.Of(from).StartInternal(Owner);
        if (from != to) _newest = new NewestRecords<TFrom>(_session, from);
        _above = above?.Invoke(_session);
        _inserts = new SweptInserts<TTo>(_session, from, to, Counters);
        if (held is not null)
            _collapses = new CollapseRun(from.Schema, from.Layout, held, new CopyCounters(), _session);
        if (heads is not null) _large = new LargeValueCopier<TFrom>(from, to, heads, steps, CheckStop);
        _ = TailThrottle.Pass(true);
    }

    /// <inheritdoc/>
    public CopyCounters Counters { get; } = new();

    /// <inheritdoc/>
    public void CopyPages(PageFrontier frontier)
    {
        bool isLast = false;
        while (!isLast)
        {
            BeginBatch();
            isLast = !Gather(frontier, _batch!);
            Copy(_batch!);
            EndBatch();
        }
    }

    /// <summary>
    /// Copies the values that begin below an address and whose record lies above it. All pages have been walked before.
    /// </summary>
    public void CopyStraddling(long until) => _large!.CopyStraddling(until, (address, record) =>
    {
        Counters.Examined++;
        bool searches = !(Probe.On && Probe.Has(SeededBug.DeadHeadMovesWithoutSearch))
            || _inserts.IsLarge((byte*)record);
        RecordKey key = KeyOf((byte*)record, out ulong hash);
        if (searches && !_large.IsNewest(_session, key, hash, address)) return;
        BeginCopying();
        Insert((byte*)record, address);
        EndCopying();
    });

    /// <summary>Completes pending operations, and ends the session.</summary>
    public void Dispose()
    {
        // First, because a pending operation may wait for another one that waits for a record that is still sealed.
        _collapses?.ReleaseAll();
        try
        {
            _session.Dispose(); // the page and the batch must outlive all operations
        }
        catch (Exception e)
        {
            _from.Core.OnFault(e); // the copies are complete, or the run has failed already
        }

        if (_isCopying) _pause.Leave();
        _large?.End();
        EndBatch();
        _ = TailThrottle.Pass(false);
    }

    private void BeginBatch()
    {
        _batch = _batches.Take();
        _gathered = 0;
        _reads = new PageReads(_from.Core.Epochs, _log, _from.Storage!, Owner, _batch.Reads, _batch.ReadBytes);
        if (_batch.PutsOff && (_newest is null || _from.Schema.Merger is null))
            _lookups = new DeferredLookups(_log, _from.Storage!, _batch.Lookups, CheckStop);
        if (_batch.PutsOff) _lookupsAbove = _above?.PutOff(_batch.Lookups, CheckStop);
    }

    private void EndBatch()
    {
        if (_batch is null) return;
        _reads!.Dispose();
        _lookups?.Dispose();
        _lookupsAbove?.Dispose();
        _lookups = _lookupsAbove = null;
        _batches.Return(_batch);
        _batch = null;
    }

    // False: no page is left. The searches for newer records of some pages wait for the disk together.
    private bool Gather(PageFrontier frontier, CopyBatch batch)
    {
        bool isLast = false;
        do
        {
            int pages = 0;
            for (; HasSpaceFor(pages, batch); pages++)
            {
                isLast = !frontier.TryTake(out long start, out long end);
                if (isLast) break;
                _reads!.Fetch(pages, _log.WalkStartOf(start), end);
            }

            for (int page = 0; page < pages; page++) Gather(_reads!.Fetched(page), batch);
            frontier.CountCopied(EndGathering(batch, isLast)); // at most
        }
        while (!isLast && !batch.IsFull(_log.PageSize)); // if it is full, nothing is put off any more
        return !isLast;
    }

    // The records of one page fit.
    private bool HasSpaceFor(int pages, CopyBatch batch) =>
        pages == 0 || (pages < _reads!.Count && !batch.IsFull((pages + 1) * _log.PageSize));

    private void Gather(RecordWalker walker, CopyBatch batch)
    {
        RecordWalker ahead = walker; // prefetches the buckets of the records to come
        for (int i = 0; i < PrefetchAhead && ahead.MoveNext(); i++) Prefetch(ahead);
        while (walker.MoveNext())
        {
            if (ahead.MoveNext()) Prefetch(ahead);
            CheckStop();
            Counters.Examined++;
            _large?.Pass(walker);
            if (!_liveness.MayLive(walker.Address, walker.Header)) continue;
            byte* record = walker.Record;
            RecordKey key = KeyOf(record, out ulong hash);
            if (_collapses is not null && CollapseRun.Takes(walker.Header))
            {
                _collapses.Collapse<TFrom>(
                    _session.RunnerOf(_from), key, hash, walker.Address, walker.Header, record);
                continue;
            }

            long size = _log.Layout.RecordSize(record);
            if (_above is not null && IsLeft(walker, record, size, key, hash, batch)) continue;
            if (LargeHead.IsIn(walker.Header)) _gatheredLarge += HeadOf(record).Length;
            if (_newest is null)
            {
                batch.Add(hash, walker.Address, size);
                continue;
            }

            if (!_newest.TryCheck(record, walker.Address, size, key, hash, _lookups)) batch.Reserve(size);
        }
    }

    // Whether a record is not copied, or not yet, because of one of the tier above.
    private bool IsLeft(
        in RecordWalker walker, byte* record, long size, in RecordKey key, ulong hash, CopyBatch batch)
    {
        if (_above!.Supersede(key, hash, walker.Address, out long onDisk)) return true;
        bool isPutOff = onDisk != 0 && !LargeHead.IsIn(walker.Header)
            && _lookupsAbove?.TryDefer(walker.Address, record, onDisk) == true;
        if (isPutOff) batch.Reserve(size);
        return isPutOff;
    }

    // Returns the bytes that were gathered since.
    private long EndGathering(CopyBatch batch, bool isLast)
    {
        _newest?.Complete(batch);
        DeferredLookups? lookups = _newest is null ? _lookupsAbove : _lookups;
        if (lookups is not null && (isLast || lookups.IsNearlyFull() || batch.IsFull(_log.PageSize)))
            AddDeferred(batch, lookups);
        long bytes = batch.RecordBytes - _gathered + _gatheredLarge;
        (_gathered, _gatheredLarge) = (batch.RecordBytes, 0);
        return bytes;
    }

    // Adds the records whose searches were put off, and have found no newer one.
    private void AddDeferred(CopyBatch batch, DeferredLookups lookups)
    {
        batch.Unreserve();
        lookups.Resolve(
            _reads![0], (bytes, address) =>
            {
                var record = (byte*)bytes;
                RecordKey key = KeyOf(record, out ulong hash);
                long size = _log.Layout.RecordSize(record);
                if (_newest is null) batch.Add(hash, address, size);
                else _ = _newest.TryCheck(record, address, size, key, hash, null);
            },
            () => _newest?.Complete(batch));
    }

    private void Prefetch(in RecordWalker walker)
    {
        if (ValueFragment.Is(walker.Header)) return;
        if (_from.Entries == _from.Index) _from.Index.Prefetch(_log.Layout.Hash(walker.Record, _from.Seed));
        else _above?.Prefetch(_log.Layout.Hash(walker.Record, _from.Seed));
    }

    private void Copy(CopyBatch batch)
    {
        batch.Sort();
        for (int from = 0, to; from < batch.Count; from = to)
        {
            to = batch.EndOfPart(from);
            int first = from;
            batch.BeginPart(from, to);
            _reads!.Run(to - from, i => batch.AddressOf(first + i), (i, record) =>
            {
                CheckStop();
                batch.Put(first + i, (byte*)record, _log.Layout.RecordSize((byte*)record));
            });
            ReadOnlySpan<long> places = batch.EndPart(from, to);
            BeginCopying();
            if (batch.Sweep is null) Insert(batch, from, to);
            else batch.Sweep.Run(places, (a, b) => Insert(batch, first + a, first + b));
            EndCopying(); // the inserts refer to the batch's bytes
        }

        if (_newest is null && _lookups is not null) InsertDeferred();
    }

    // Within one tier: inserts the records whose look-ups were put off, and have found no newer one.
    private void InsertDeferred()
    {
        _lookups!.Resolve(
            _reads![0], (record, address) =>
            {
                BeginCopying();
                Insert((byte*)record, address);
                EndCopying();
            },
            static () => { });
    }

    private void Insert(CopyBatch batch, int from, int to)
    {
        for (int i = from; i < to; i++)
        {
            if (i % InsertsInOneBreath == 0) Breathe();
            byte* record = batch.RecordAt(i, out long address);
            Insert(record, address, _newest is null ? _lookups : null);
        }
    }

    // A value in fragments is copied first, again if the log was truncated there before the record was linked.
    private void Insert(byte* record, long address, DeferredLookups? lookups = null)
    {
        if (_large is null || !_inserts.IsLarge(record))
        {
            _inserts.Insert(record, address, lookups);
            return;
        }

        LargeHead head = HeadOf(record);
        RecordKey key = KeyOf(record, out ulong hash);
        ReadOnlySpan<byte> value = _log.Layout.Value(record);
        fixed (byte* bytes = value)
        {
            var slot = new Span<byte>(bytes, value.Length);
            bool isOver = false;
            while (!isOver)
            {
                EndCopying(); // a commit need not wait for the value
                bool copied = _large.TryCopyValue(_session, key, hash, address, head, slot, Counters);
                BeginCopying();
                if (!copied) return;
                long linked = Counters.Copied;
                _inserts.Insert(record, address);
                CompactionInsert.CompletePending(_session);
                isOver = Counters.Copied != linked
                    || !LargeValues.IsPassedOver(_to.Log, RecordHeader.Large, slot);
                _large.End();
            }
        }
    }

    private LargeHead HeadOf(byte* record) => LargeHead.AtEndOf(_log.Layout.Value(record));

    private RecordKey KeyOf(byte* record, out ulong hash)
    {
        hash = _log.Layout.Hash(record, _from.Seed);
        return new RecordKey(record + RecordHeader.Size, _log.Layout.KeySlotSize(record), hash);
    }

    private void BeginCopying()
    {
        _pause.Enter();
        _isCopying = true;
    }

    private void EndCopying()
    {
        CompactionInsert.CompletePending(_session);
        _isCopying = false;
        _pause.Leave();
    }

    private void Breathe()
    {
        CheckStop();
        EndCopying();
        if (_newest is null && _lookups?.IsNearlyFull() == true) InsertDeferred();
        BeginCopying();
    }

    private void CheckStop()
    {
        if (_mustStop()) throw new OperationCanceledException("The compaction was stopped.");
    }
}
