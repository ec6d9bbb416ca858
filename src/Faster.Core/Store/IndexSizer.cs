using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Gives the index its size within the memory budget: doubles it when it is crowded, halves it when it is mostly empty,
/// and either when asked to. The log's window first shrinks to make room for both tables, and gets back afterwards what
/// is left.
/// </summary>
/// <remarks>
/// <para>Crowded is beyond a fill of some four fifths, mostly empty below a sixth: after either the index is used by
/// two fifths or a third, so that the number of keys must double or halve before it is resized the other way. By itself
/// it never goes below what the options ask for, nor below what the user has grown it to.</para>
/// <para>A crowded index of mostly copies does not grow: a split copies the entries that lead to disk, and what is
/// crowded with copies would be as crowded afterwards, up to the limit.</para>
/// <para>Thread-safe. One resize at a time; a background task drives it, so that it ends even if nobody
/// operates.</para>
/// </remarks>
internal sealed class IndexSizer<TProbe>(FasterStore<TProbe> store, MemoryPlan plan)
    where TProbe : struct, IProbe
{
    private const double MostlyEmpty = 1.0 / 6, Full = 3.0 / 5; // of the slots, copies not counted
    private static readonly TimeSpan FaultPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan RoomPatience = TimeSpan.FromMilliseconds(20); // then the epochs are drained again
    private static readonly TimeSpan LeastPause = TimeSpan.FromMilliseconds(50), MostPause = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private Task<bool>? _running;
    private Task? _look;
    private Task _growth = Task.CompletedTask; // that a commit has begun
    private TimeSpan _pause = LeastPause;      // before a growth that came to nothing is tried again
    private ResizeKind _kind; // of the resize that was begun last
    private int _growths;
    private int _shrinks;
    private long _pledged; // what a resize under way will bring the index to
    private long _leastBuckets = plan.ChosenBuckets; // by itself the index does not go below
    private volatile bool _atLimit;
    private volatile bool _closing;

    /// <summary>How often the index has grown.</summary>
    public int Growths => Volatile.Read(ref _growths);

    /// <summary>How often the index has shrunk.</summary>
    public int Shrinks => Volatile.Read(ref _shrinks);

    /// <summary>Whether the index may not take more memory.</summary>
    public bool AtLimit => _atLimit || store.Index.FrozenBuckets > 0;

    /// <summary>Lets the index say when its size does not fit; each commit is an occasion to look, too.</summary>
    public void Listen()
    {
        store.Index.Extended = () => _ = Task.Run(FitRecords);
        store.Index.Crowded = () => _ = Task.Run(GrowWhileCrowdedAsync);
        store.Index.Thinned = () => _ = Task.Run(ShrinkWhileEmpty);
        store.Committed += _ => LookAgain();
    }

    /// <summary>
    /// Doubles the index, or halves it; joins a resize of the same kind, and waits for one of the other.
    /// </summary>
    /// <returns>Whether it has been resized; false when it can't be.</returns>
    public Task<bool> ResizeAsync(ResizeKind kind)
    {
        lock (_lock)
        {
            Task<bool>? before = _running is { IsCompleted: false } ? _running : null;
            if (before is not null && _kind == kind) return before;
            if (_closing) return Task.FromResult(false);
            _kind = kind;
            return _running = Task.Run(() => ResizeAfterAsync(before, kind));
        }
    }

    /// <summary>Resizes the index because the user asks for it.</summary>
    /// <exception cref="LimitExceededException">It can't be done; the message says why.</exception>
    public async Task ResizeOnRequestAsync(ResizeKind kind)
    {
        if (!await ResizeAsync(kind).ConfigureAwait(false)) throw Refusal(kind);
        Volatile.Write(ref _leastBuckets, store.Index.BucketCount);
    }

    /// <summary>
    /// Grows the index until it is no longer crowded, or as far as the budget lets it. What ends before that is tried
    /// again: with the next bucket that overflows after a pause, and with the next commit.
    /// </summary>
    public async Task GrowWhileCrowdedAsync()
    {
        bool isFull = true;
        long overflow;
        do
        {
            overflow = store.Index.OverflowBuckets;
            try
            {
                while (store.Index.IsCrowded && (isFull = IsFull())
                    && await ResizeAsync(ResizeKind.Split).ConfigureAwait(false))
                    _pause = LeastPause;
            }
            catch (Exception e)
            {
                store.OnFault(e); // the index stays as it is, and works
            }

            if (!store.Index.IsCrowded || _closing) return;
            TimeSpan pause = isFull ? _pause : LeastPause;
            if (isFull && pause < MostPause) _pause = 2 * pause;
            await Task.Delay(pause).ConfigureAwait(false);
        }
        while (!isFull && store.Index.OverflowBuckets != overflow); // it has got keys meanwhile

        store.Index.RearmCrowded();
    }

    /// <summary>Has somebody look whether the index is mostly empty, and shrink it then. Returns at once.</summary>
    public void ShrinkWhileEmpty()
    {
        if (!MayShrink) return;
        lock (_lock)
        {
            if (!_closing && _look is not { IsCompleted: false }) _look = Task.Run(ShrinkWhileEmptyAsync);
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

    /// <summary>
    /// Lets no resize begin any more, and waits for the one under way, unless that waits for a full disk.
    /// </summary>
    public void Close()
    {
        Task[] running;
        lock (_lock)
        {
            _closing = true;
            running = [_running ?? Task.CompletedTask, _look ?? Task.CompletedTask];
        }

        Task.WhenAll(running).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();
    }

    private void LookAgain()
    {
        ShrinkWhileEmpty();
        if (!store.Index.IsCrowded || store.Index.IsResizing) return;
        lock (_lock)
        {
            if (!_closing && _growth.IsCompleted) _growth = Task.Run(GrowWhileCrowdedAsync);
        }
    }

    // With the lock, so that the store does not close meanwhile.
    private unsafe bool IsFull()
    {
        lock (_lock)
        {
            if (_closing) return false;
            EpochSlot* slot = store.Epochs.Acquire("the index's growth");
            store.Epochs.Enter(slot);
            try
            {
                return IndexFill.Of(store.Index.State.Table, store.Log.BeginAddress) > Full;
            }
            finally
            {
                store.Epochs.Leave(slot);
                store.Epochs.Release(slot);
            }
        }
    }

    // No look at the index's memory: most stores have the size that they began with.
    private bool MayShrink => !store.Index.IsResizing
        && store.Index.BucketCount / 2 >= Volatile.Read(ref _leastBuckets);

    private async Task ShrinkWhileEmptyAsync()
    {
        try
        {
            while (IsMostlyEmpty() && await ResizeAsync(ResizeKind.Merge).ConfigureAwait(false)) { }
        }
        catch (Exception e)
        {
            store.OnFault(e); // the index stays as it is, and works
        }
    }

    private bool IsMostlyEmpty()
    {
        if (!MayShrink || !store.Index.Exclusion.Wait(0)) return false; // who resizes, or saves it: another time
        try
        {
            IndexTable table = store.Index.State.Table;
            return !_closing && CanShrink(table)
                && IndexFill.Of(table, store.Log.BeginAddress) < MostlyEmpty;
        }
        finally
        {
            store.Index.Exclusion.Release();
        }
    }

    private async Task<bool> ResizeAfterAsync(Task? before, ResizeKind kind)
    {
        if (before is not null) await before.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_closing) return false;
        await store.Index.Exclusion.WaitAsync().ConfigureAwait(false); // for a checkpoint, which writes one table
        try
        {
            return ResizeAlone(kind);
        }
        finally
        {
            store.Index.Exclusion.Release();
        }
    }

    private bool ResizeAlone(ResizeKind kind)
    {
        if (kind == ResizeKind.Merge && !CanShrink(store.Index.State.Table)) return false;
        long together = store.Index.BytesTo(kind);
        if (together > plan.IndexLimit) return Refused(kind);
        Pledge(together);
        try
        {
            if (!TryMakeRoom()) return !_closing && Refused(kind);
            var finished = new TaskCompletionSource();
            if (!store.Index.TryStart(kind, store.Memory.Chains, () => finished.TrySetResult()))
                return Refused(kind); // inserts have taken meanwhile what the new table needs, or have frozen chains
            if (!Drive()) return false;
            finished.Task.Wait();
            if (kind == ResizeKind.Split) Interlocked.Increment(ref _growths);
            else Interlocked.Increment(ref _shrinks);
            _atLimit &= kind == ResizeKind.Split;
            return true;
        }
        finally
        {
            Pledge(0);
        }
    }

    // False: records in memory stay where they are, or the store is closing.
    private bool TryMakeRoom()
    {
        while (!store.Memory.IsWithinLimit)
        {
            if (store.Log.Splices) return false;

            // Pages leave memory when they have been flushed, which takes no help but time.
            ShrinkCache();
            store.Epochs.Drain();
            store.ThrowIfLogFailed();
            ((PagedLog<TProbe>)store.Log).Gate.Wait(() => store.Memory.IsWithinLimit || _closing, RoomPatience);
            if (_closing) return false;
        }

        return true;
    }

    // False: the store is closing, and the resize stays where it is.
    private unsafe bool Drive()
    {
        EpochSlot* slot = store.Epochs.Acquire("the index's resize");
        try
        {
            for (;;)
            {
                try
                {
                    return store.Index.DriveResize(slot, WaitForRoom);
                }
                catch (FasterException e)
                {
                    // The disk is full, or memory: operations hear of it too, and go on when that is over.
                    store.OnFault(e);
                    if (_closing) return false;
                    Thread.Sleep(FaultPause);
                }
            }
        }
        finally
        {
            store.Epochs.Release(slot);
        }
    }

    private bool WaitForRoom()
    {
        if (_closing) return false;
        store.Log.WaitForRoom();
        return true;
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

    private void Pledge(long indexBytes)
    {
        lock (_lock) _pledged = indexBytes;
        FitLog();
    }

    private bool Refused(ResizeKind kind)
    {
        if (kind == ResizeKind.Split) _atLimit = true;
        return false;
    }

    private static bool CanShrink(IndexTable table) =>
        table.BucketCount >= 2 * MemoryPlan.LeastBuckets && IndexPhases<TProbe>.CanStart(ResizeKind.Merge, table);

    private LimitExceededException Refusal(ResizeKind kind)
    {
        var bytes = new ByteSize(store.Index.Bytes);
        long buckets = store.Index.BucketCount;
        string raise = "old and new table stand side by side meanwhile. Raise StoreOptions.MemoryBudget.";
        if (kind == ResizeKind.Split)
        {
            return new LimitExceededException(
                $"The index of {bytes} can't double within its half of the budget of {store.Options.MemoryBudget}: "
                + raise);
        }

        string because = buckets < 2 * MemoryPlan.LeastBuckets ? $"it has the least size of {buckets} buckets already."
            : buckets % 2 != 0 ? $"its number of buckets, {buckets}, is odd. It can be once it has grown."
            : store.Index.FrozenBuckets > 0 ? "keys share its entries since it reached its limit, and have to go on "
                + "so. Copy the store into a new one with a larger StoreOptions.MemoryBudget."
            : "its half of the budget is used up, and " + raise;
        return new LimitExceededException($"The index of {bytes} can't be halved: {because}");
    }
}
