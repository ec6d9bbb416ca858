using Faster.Caching;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// The memory for records, divided between the log and the read cache: the cache gets it page by page, as it makes use
/// of it, and the log has the rest.
/// </summary>
/// <remarks>
/// Invariant: the cache is given a page only when the log is within what is left for it, so that both together stay
/// within the budget. Thread-safe. <see cref="Widen"/> does not wait: it is called within epochs.
/// </remarks>
internal sealed class RecordMemory<TProbe>
    where TProbe : struct, IProbe
{
    private readonly Lock _lock = new();
    private readonly MemoryPlan _plan;
    private readonly RecordAllocator<TProbe> _log;
    private long _total;
    private long _promised; // taken from the log for the cache's pages
    private long _given;    // of that, what the cache may use

    /// <summary>All of it is the log's; the read cache, if the plan has one, has still to ask for memory.</summary>
    public RecordMemory(
        MemoryPlan plan, EpochTable<TProbe> epochs, HashIndex<TProbe> index, RecordAllocator<TProbe> log,
        RecordSchema schema, HashSeed seed)
    {
        (_plan, _log, _total) = (plan, log, plan.RecordBytes(index.Bytes));
        if (Most == 0) return;
        var shape = new LogShape(schema, seed, plan.CachePageBits, (int)(Most >> plan.CachePageBits), 1);
        Cache = new ReadCache<TProbe>(epochs, index, log, new CacheShape(shape, plan.CacheFilterBytes))
        {
            MayWiden = true,
            Widen = Widen,
        };
    }

    /// <summary>The read cache; null when there is none.</summary>
    public ReadCache<TProbe>? Cache { get; }

    /// <summary>Who parts chains when the index grows.</summary>
    public IChainSplitter Splitter => Cache is null ? _log : Cache;

    /// <summary>Whether both keep to what they have been given.</summary>
    public bool IsWithinLimit => _log.IsWithinMemory && (Cache is null || Cache.IsWithinMemory);

    /// <summary>Leaves to records what an index of so many bytes leaves. Called outside every epoch.</summary>
    public void Fit(long indexBytes)
    {
        lock (_lock)
        {
            _total = _plan.RecordBytes(indexBytes);
            if (_promised > Most)
            {
                _promised = Most;
                if (_given > _promised) Cache!.SetMemory(_given = _promised);
            }

            FitLog();
        }
    }

    private long Most => _plan.CacheBytes(_total);

    // A step on each call: first the log is told, and when it has let go, the cache.
    private void Widen()
    {
        if (!_lock.TryEnter()) return;
        try
        {
            if (_given == _promised)
            {
                if (_promised >= Most) return;
                long least = (long)PagedLog<TProbe>.LeastPages << _plan.CachePageBits;
                _promised = Math.Max(_promised + (1L << _plan.CachePageBits), least);
                FitLog();
            }

            if (!_log.IsWithinMemory) return;
            Cache!.SetMemory(_given = _promised);
            Cache.MayWiden = _given < Most;
        }
        finally
        {
            _lock.Exit();
        }
    }

    private void FitLog()
    {
        _log.SetMemory(_promised == 0 ? _total : _total - _promised - _plan.CacheFilterBytes);
        if (Cache is not null) Cache.MayWiden = _given < Most;
    }
}
