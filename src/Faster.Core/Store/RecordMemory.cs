using Faster.Caching;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// The memory for records, divided between the log and the read cache: the cache gets what it makes better use of, page
/// by page, up to its share, and the log has the rest.
/// </summary>
/// <remarks>
/// Invariant: a page changes hands only when the one that gives it up is within what is left to it, so that both
/// together stay within the budget. Thread-safe. <see cref="Balance"/> does not wait: it is called within epochs.
/// </remarks>
internal sealed class RecordMemory<TProbe>
    where TProbe : struct, IProbe
{
    private const int NearPart = 4; // of the cache's share: the stretch of the log that is watched

    private readonly Lock _lock = new();
    private readonly MemoryPlan _plan;
    private readonly RecordAllocator<TProbe> _log;
    private CacheBalance _balance;
    private long _total;
    private long _wanted;   // what the cache should have
    private long _promised; // what the log does not have for its sake
    private long _given;    // what the cache may use

    /// <summary>All of it is the log's; the read cache, if the plan has one, begins with the first copy.</summary>
    public RecordMemory(
        MemoryPlan plan, EpochTable<TProbe> epochs, HashIndex<TProbe> index, RecordAllocator<TProbe> log,
        RecordSchema schema, HashSeed seed)
    {
        (_plan, _log, _total) = (plan, log, plan.RecordBytes(index.Bytes));
        if (Most == 0) return;
        var shape = new LogShape(schema, seed, plan.CachePageBits, (int)(Most >> plan.CachePageBits), 1);
        Cache = new ReadCache<TProbe>(epochs, index, log, new CacheShape(shape, plan.CacheFilterBytes))
        {
            Balance = Balance,
            NearBytes = Most / NearPart,
        };
    }

    /// <summary>The read cache; null when there is none.</summary>
    public ReadCache<TProbe>? Cache { get; }

    /// <summary>Who parts and joins chains when the index is resized.</summary>
    public IChainResizer Chains => Cache is null ? _log : Cache;

    /// <summary>Whether both keep to what they have been given.</summary>
    public bool IsWithinLimit => _log.IsWithinMemory && (Cache is null || Cache.IsWithinMemory);

    /// <summary>Leaves to records what an index of so many bytes leaves. Called outside every epoch.</summary>
    public void Fit(long indexBytes)
    {
        lock (_lock)
        {
            _total = _plan.RecordBytes(indexBytes);
            long most = Most;
            _wanted = Math.Min(_wanted, most);
            _promised = Math.Min(_promised, most);
            if (_given > most) Cache!.SetMemory(_given = most);
            FitLog();
        }
    }

    private long Most => _plan.CacheBytes(_total);

    private long Least => (long)PagedLog<TProbe>.LeastPages << _plan.CachePageBits;

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
            // The system refuses the cache its memory: the log keeps it, and nothing is copied.
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
        ReadCache<TProbe> cache = Cache!;
        long near = Math.Min(cache.NearBytes, _log.HeadAddress - _log.BeginAddress);
        int advice = _balance.Advise(cache.FirstHits, cache.BytesInMemory, cache.NearMisses, near);
        long step = Math.Max(_given / 4 >> _plan.CachePageBits, 1) << _plan.CachePageBits;
        return Math.Clamp(_wanted + (advice * step), Least, Most);
    }

    // One step on each call: who is to give is told, and when that has been done, who is to get.
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

    private void FitLog() =>
        _log.SetMemory(_promised == 0 ? _total : _total - _promised - _plan.CacheFilterBytes);
}
