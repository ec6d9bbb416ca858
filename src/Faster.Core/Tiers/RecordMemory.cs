using Faster.Caching;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;
using Faster.Opening;

namespace Faster.Tiers;

/// <summary>
/// Divides the memory for records between the log and the read cache. The cache gets the memory that it uses better,
/// page by page, up to its share; the log gets the rest. Lends some of it to a compaction while that runs.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A page is transferred only after its owner has shrunk to its new limit, so that both together stay within the
/// budget.</item>
/// <item>An owner gains memory only when it has used up what it had: pages full of records are not exchanged for pages
/// that stay empty.</item>
/// </list>
/// <para>Thread-safe; one borrower at a time. <see cref="Balance"/> does not wait, because it is called inside
/// epochs.</para>
/// </remarks>
internal sealed class RecordMemory
{
    private const int NearPart = 4; // the observed range of the log: 1/4 of the cache's share

    private static readonly TimeSpan SpaceTimeout = TimeSpan.FromMilliseconds(20); // then drain the epochs again

    private readonly Lock _lock = new();
    private readonly MemoryPlan _plan;
    private readonly Tier _tier;
    private readonly RecordAllocator _log;
    private CacheBalance _balance;
    private long _indexBytes;
    private long _lent;     // the bytes that a compaction has
    private long _total;
    private long _wanted;   // the target of the cache
    private long _promised; // the bytes that the log has ceded to the cache
    private long _given;    // the cache's limit

    /// <summary>
    /// Gives all memory to the log; the read cache, if planned, gets its first pages with the first copy.
    /// </summary>
    public RecordMemory(MemoryPlan plan, Tier tier)
    {
        (_plan, _tier, _log, _indexBytes) = (plan, tier, tier.Log, tier.Index.Bytes);
        _total = plan.RecordBytes(_indexBytes);
        if (Most == 0) return;
        var shape = new LogShape(tier.Schema, tier.Seed, plan.CachePageBits, (int)(Most >> plan.CachePageBits), 1);
        var cache = new CacheShape(shape, plan.CacheFilterBytes);
        Cache = new ReadCache(tier.Core.Epochs, tier.Index, tier.Log, cache)
        {
            Balance = Balance,
            NearBytes = Most / NearPart,
        };
    }

    /// <summary>The read cache; null if there is none.</summary>
    public ReadCache? Cache { get; }

    /// <summary>Splits and joins hash chains when the index is resized.</summary>
    public IChainResizer Chains => Cache is null ? _log : Cache;

    /// <summary>Whether log and cache are within their limits.</summary>
    public bool IsWithinLimit => _log.IsWithinMemory && (Cache is null || Cache.IsWithinMemory);

    /// <summary>
    /// Divides the memory that an index of <paramref name="indexBytes"/> leaves. Called outside every epoch.
    /// </summary>
    public void Fit(long indexBytes)
    {
        lock (_lock)
        {
            _indexBytes = indexBytes;
            Fit();
        }
    }

    /// <summary>
    /// Takes memory from the log and the read cache, and waits until they do without it: pages leave memory once they
    /// are flushed. Called outside every epoch.
    /// </summary>
    /// <param name="bytes">At most <see cref="MemoryPlan.LookupLoan"/>.</param>
    /// <param name="mustStop">Whether to end the wait; looked at again when the log's gate is signaled.</param>
    /// <returns>
    /// Whether the caller may use the memory, until it calls <see cref="TakeBack"/>; false, and nothing is lent, if it
    /// must stop, or if the log can't be written, so that its pages stay in memory.
    /// </returns>
    public bool TryLend(long bytes, Func<bool> mustStop)
    {
        bool isFree = false;
        Lend(bytes);
        try
        {
            return isFree = TryMakeSpace(mustStop);
        }
        catch (StorageException)
        {
            return false;
        }
        finally
        {
            if (!isFree) TakeBack();
        }
    }

    /// <summary>Gives the memory back that was lent. The borrower does not use it any more.</summary>
    public void TakeBack() => Lend(0);

    /// <summary>
    /// Waits until the log and the read cache are within their limits. Called outside every epoch.
    /// </summary>
    /// <returns>False if records can't leave memory, or if it must stop.</returns>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public bool TryMakeSpace(Func<bool> mustStop)
    {
        while (!IsWithinLimit)
        {
            if (_log.Splices) return false;

            // Pages leave memory once they are flushed, which only takes time.
            ShrinkCache();
            _tier.Core.Epochs.Drain();
            _tier.ThrowIfLogFailed();
            _tier.PagedLog!.Gate.Wait(() => IsWithinLimit || mustStop(), SpaceTimeout);
            if (mustStop()) return false;
        }

        return true;
    }

    /// <summary>Evicts from the read cache what is above its limit. Called outside every epoch.</summary>
    public unsafe void ShrinkCache()
    {
        if (Cache is not { IsWithinMemory: false } cache) return;
        EpochSlot* slot = _tier.Core.Epochs.Acquire("the read cache's eviction");
        try
        {
            cache.Shrink(slot);
        }
        finally
        {
            _tier.Core.Epochs.Release(slot);
        }
    }

    private long Most => _plan.CacheBytes(_total);

    private long Least => (long)PagedLog.MinPages << _plan.CachePageBits;

    private void Balance()
    {
        if (!_lock.TryEnter()) return;
        try
        {
            if (_wanted == 0) _wanted = Least;
            else if (_wanted == _given && _wanted == _promised) _wanted = Advised();
            Settle();
        }
        catch (LimitExceededException)
        {
            // The system can't allocate the cache's memory: the log keeps it, and no more records are cached.
            Cache!.Balance = null;
            _wanted = _promised = _given;
            FitLog();
        }
        finally
        {
            _lock.Exit();
        }
    }

    private long Advised()
    {
        ReadCache cache = Cache!;
        long near = Math.Min(cache.NearBytes, _log.HeadAddress - _log.BeginAddress);
        int advice = _balance.Advise(cache.FirstHits, cache.BytesInMemory, cache.NearMisses, near);
        bool canUse = advice > 0 ? cache.FillsMemory : _log.FillsMemory;
        long step = 1L << Math.Max(_plan.CachePageBits, _plan.PageBits); // at least a page of each
        return canUse ? Math.Clamp(_wanted + (advice * step), Least, Most) : _wanted;
    }

    // Takes one step per call: first the owner that must shrink gets its new limit; once it is within that limit,
    // the other one grows.
    private void Settle()
    {
        if (_wanted < _given) Give();
        if (_wanted > _promised || (_wanted < _promised && Cache!.IsWithinMemory))
        {
            _promised = _wanted;
            FitLog();
        }

        if (_wanted > _given && _log.IsWithinMemory) Give();
    }

    private void Give()
    {
        Cache!.SetMemory(_wanted);
        _given = _wanted;
    }

    private void Lend(long bytes)
    {
        lock (_lock)
        {
            _lent = bytes;
            Fit();
        }
    }

    private void Fit()
    {
        _total = _plan.RecordBytes(_indexBytes) - _lent;
        long most = Most;
        _wanted = Math.Min(_wanted, most);
        _promised = Math.Min(_promised, most);
        if (_given > most) Cache!.SetMemory(_given = most);
        FitLog();
    }

    private void FitLog() =>
        _log.SetMemory(_promised == 0 ? _total : _total - _promised - _plan.CacheFilterBytes);
}
