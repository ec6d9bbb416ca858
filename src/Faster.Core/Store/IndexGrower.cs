using Faster.Contracts;
using Faster.Epochs;

namespace Faster;

/// <summary>
/// Grows the index when it is crowded, or when asked to, within the memory budget: first the log's window shrinks to
/// make room for the new table, then the index doubles while operations run, then the log gets back what is left.
/// </summary>
/// <remarks>
/// Thread-safe. One growth at a time; a background task drives it, so that it ends even if nobody operates.
/// </remarks>
internal sealed class IndexGrower<TProbe>(FasterStore<TProbe> store, MemoryPlan plan)
    where TProbe : struct, IProbe
{
    private readonly Lock _lock = new();
    private Task<bool>? _running;
    private int _growths;
    private long _pledged; // what a growth under way will bring the index to
    private volatile bool _atLimit;
    private volatile bool _closing;

    /// <summary>How often the index has grown.</summary>
    public int Growths => Volatile.Read(ref _growths);

    /// <summary>Whether the index may not take more memory.</summary>
    public bool AtLimit => _atLimit || store.Index.FrozenBuckets > 0;

    /// <summary>Grows the index once; joins a growth under way.</summary>
    /// <returns>Whether it has grown; false when the budget forbids it.</returns>
    public Task<bool> GrowAsync()
    {
        lock (_lock)
        {
            if (_running is { IsCompleted: false } running) return running;
            if (_closing) return Task.FromResult(false);
            return _running = Task.Run(Grow);
        }
    }

    /// <summary>Grows the index until it is no longer crowded, or as far as the budget lets it.</summary>
    public async Task GrowWhileCrowdedAsync()
    {
        try
        {
            while (store.Index.IsCrowded && await GrowAsync().ConfigureAwait(false)) { }
        }
        catch (Exception e)
        {
            store.OnFault(e); // the index stays as it is, and works
        }
    }

    /// <summary>Takes from the log what the index has come to.</summary>
    public void FitLog()
    {
        lock (_lock)
        {
            if (_closing) return;
            long indexBytes = Math.Max(store.Index.Bytes, _pledged);
            store.Memory.Fit(indexBytes);
        }
    }

    /// <summary>Takes from the log what the index has come to, and from the read cache its part.</summary>
    public void FitRecords()
    {
        lock (_lock)
        {
            if (_closing) return;
            FitLog();
            ShrinkCache();
        }
    }

    private unsafe void ShrinkCache()
    {
        if (store.Cache is not { IsWithinMemory: false } cache) return;
        EpochSlot* slot = store.Epochs.Acquire("the read cache's eviction");
        try
        {
            cache.Shrink(slot);
        }
        finally
        {
            store.Epochs.Release(slot);
        }
    }

    /// <summary>Lets no growth begin any more, and waits for the one under way.</summary>
    public void Close()
    {
        Task? running;
        lock (_lock)
        {
            _closing = true;
            running = _running;
        }

        running?.ContinueWith(static _ => { }, TaskScheduler.Default).Wait();
    }

    private bool Grow()
    {
        store.Index.Exclusion.Wait(); // for a checkpoint of the index, which writes one table
        try
        {
            return GrowAlone();
        }
        finally
        {
            store.Index.Exclusion.Release();
        }
    }

    private unsafe bool GrowAlone()
    {
        long together = store.Index.BytesToGrow;
        if (together > plan.IndexLimit)
        {
            _atLimit = true;
            return false;
        }

        Pledge(together);
        try
        {
            while (!store.Memory.IsWithinLimit)
            {
                if (store.Log.Splices)
                {
                    _atLimit = true; // records in memory stay where they are
                    return false;
                }

                // Pages leave memory when they have been flushed, which takes no help but time.
                ShrinkCache();
                store.Epochs.Drain();
                store.ThrowIfLogFailed();
                Thread.Yield();
                if (_closing) return false;
            }

            using var finished = new ManualResetEventSlim();
            if (!store.Index.TryStartGrowth(store.Memory.Splitter, finished.Set))
            {
                _atLimit = true; // inserts have taken meanwhile what the new table needs
                return false;
            }

            EpochSlot* slot = store.Epochs.Acquire("the index's growth");
            try
            {
                store.Index.DriveGrowth(slot);
            }
            finally
            {
                store.Epochs.Release(slot);
            }

            finished.Wait();
            Interlocked.Increment(ref _growths);
            return true;
        }
        finally
        {
            Pledge(0);
        }
    }

    private void Pledge(long indexBytes)
    {
        lock (_lock) _pledged = indexBytes;
        FitLog();
    }
}
