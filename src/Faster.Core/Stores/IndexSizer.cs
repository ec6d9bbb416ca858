using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Opening;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>
/// Sizes the index within the memory budget: doubles it if it is crowded, halves it if it is mostly empty, and either
/// on request. The log's window first shrinks to make space for both tables, and afterwards gets back what is left.
/// </summary>
/// <remarks>
/// <para>Crowded means more overflow buckets than a fifth of the buckets, with random hashes a fill of four fifths;
/// mostly empty means a fill below a sixth. After a resize the fill is two fifths or a third, so the number of keys
/// must double or halve before the index is resized the other way. On its own the index never shrinks below the size
/// that the options ask for, nor below the size that the user has grown it to.</para>
/// <para>A crowded index whose slots are not full (<see cref="Full"/>) does not grow: a split copies the entries that
/// lead to disk, so an index crowded with copies would be as crowded afterwards, up to the limit. Where
/// <see cref="Full"/> is above four fifths, the index becomes crowded first, and its chains lengthen up to
/// that.</para>
/// <para>Thread-safe. One resize at a time; a background task drives it, so that it completes even if there are no
/// operations.</para>
/// </remarks>
internal sealed class IndexSizer(Tier tier, MemoryPlan plan)
{
    private const double MostlyEmpty = 1.0 / 6; // of the slots, copies not counted
    private static readonly TimeSpan FaultPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan MinPause = TimeSpan.FromMilliseconds(50), MaxPause = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private Task<bool>? _running;
    private Task? _shrinking;
    private Task _growth = Task.CompletedTask; // started by a commit
    private TimeSpan _pause = MinPause;      // before a failed growth is retried
    private ResizeKind _kind; // of the last resize
    private int _growths;
    private int _shrinks;
    private long _pledged; // the index's bytes during a resize in progress
    private long _leastBuckets = plan.ChosenBuckets; // the sizer alone does not go below
    private volatile bool _atLimit;
    private volatile bool _ending;  // no resize begins; the one in progress ends
    private volatile bool _closing; // nor is the index accessed any more

    /// <summary>The part of the slots above which a crowded index doubles; copies are not counted.</summary>
    public double Full { get; init; } = 3.0 / 5;

    /// <summary>The number of times the index has doubled.</summary>
    public int Growths => Volatile.Read(ref _growths);

    /// <summary>The number of times the index has halved.</summary>
    public int Shrinks => Volatile.Read(ref _shrinks);

    /// <summary>Whether the index has reached its memory limit.</summary>
    public bool AtLimit => _atLimit || tier.Index.SharedTagBuckets > 0;

    /// <summary>
    /// Subscribes to the index's notifications that its size does not fit; each commit triggers a check as well.
    /// </summary>
    public void Listen()
    {
        tier.Index.Extended = () => _ = BackgroundTasks.Run(FitRecords);
        tier.Index.Crowded = () => _ = BackgroundTasks.Run(GrowWhileCrowdedAsync);
        tier.Index.Thinned = () => _ = BackgroundTasks.Run(ShrinkWhileEmpty);
    }

    /// <summary>
    /// Doubles or halves the index. Joins a resize of the same kind in progress, and waits for one of the other kind.
    /// </summary>
    /// <returns>Whether the index has been resized; false if it cannot be.</returns>
    public Task<bool> ResizeAsync(ResizeKind kind)
    {
        lock (_lock)
        {
            Task<bool>? before = _running is { IsCompleted: false } ? _running : null;
            if (before is not null && _kind == kind) return before;
            if (_ending) return Task.FromResult(false);
            _kind = kind;
            return _running = BackgroundTasks.Run(() => ResizeAfterAsync(before, kind));
        }
    }

    /// <summary>Resizes the index at the user's request.</summary>
    /// <exception cref="LimitExceededException">The index cannot be resized; the message says why.</exception>
    public async Task ResizeOnRequestAsync(ResizeKind kind)
    {
        if (!await ResizeAsync(kind).Here()) throw Refusal(kind);
        Volatile.Write(ref _leastBuckets, tier.Index.BucketCount);
    }

    /// <summary>
    /// Grows the index until it is no longer crowded, or as far as the budget allows. If growth ends before that, it is
    /// retried with the next bucket that overflows after a pause, and with the next commit.
    /// </summary>
    public async Task GrowWhileCrowdedAsync()
    {
        bool isFull = true;
        long overflow;
        do
        {
            overflow = tier.Index.OverflowBuckets;
            try
            {
                while (tier.Index.IsCrowded && (isFull = IsFull())
                    && await ResizeAsync(ResizeKind.Split).Here())
                    _pause = MinPause;
            }
            catch (Exception e)
            {
                tier.Core.OnFault(e); // the index stays as it is, and works
            }

            if (_ending) return;
            if (!tier.Index.IsCrowded) break; // it has grown, or has been trimmed
            TimeSpan pause = isFull ? _pause : MinPause;
            if (isFull && pause < MaxPause) _pause = 2 * pause;
            await BackgroundTasks.DelayAsync(pause, TimeProvider.System, CancellationToken.None).Here();
        }
        while (!isFull && tier.Index.OverflowBuckets != overflow); // it has got keys meanwhile

        tier.Index.RearmCrowded();
    }

    /// <summary>Starts a task that shrinks the index if it is mostly empty. Returns immediately.</summary>
    public void ShrinkWhileEmpty()
    {
        if (!MayShrink) return;
        lock (_lock)
        {
            if (!_ending && _shrinking is not { IsCompleted: false })
                _shrinking = BackgroundTasks.Run(ShrinkWhileEmptyAsync);
        }
    }

    /// <summary>Adjusts the memory for records to the index's current size.</summary>
    public void FitLog()
    {
        lock (_lock)
        {
            if (_closing) return;
            long indexBytes = Math.Max(tier.Index.Bytes, _pledged);
            tier.Memory.Fit(indexBytes);
        }
    }

    /// <summary>
    /// Adjusts the memory for records to the index's current size, and evicts from the read cache if it exceeds its
    /// limit.
    /// </summary>
    public void FitRecords()
    {
        lock (_lock)
        {
            if (_closing) return;
            FitLog();
            tier.Memory.ShrinkCache();
        }
    }

    /// <summary>
    /// Prevents further resizes, and lets one in progress complete, so that a commit can follow. It is abandoned if it
    /// finds the disk or the memory full: the index then stays between two sizes.
    /// </summary>
    public void EndResizes()
    {
        lock (_lock) _ending = true;
        WaitForResizes();
    }

    /// <summary>
    /// Prevents access to the index from now on; a resize in progress that waits for space is abandoned.
    /// </summary>
    public void Close()
    {
        lock (_lock) _ending = _closing = true;
        WaitForResizes();
    }

    /// <summary>Looks whether the index's size fits: each commit is an occasion to. Returns at once.</summary>
    public void LookAgain()
    {
        ShrinkWhileEmpty();
        if (!tier.Index.IsCrowded || tier.Index.IsResizing) return;
        lock (_lock)
        {
            if (!_ending && _growth.IsCompleted) _growth = BackgroundTasks.Run(GrowWhileCrowdedAsync);
        }
    }

    private void WaitForResizes()
    {
        Task[] running;
        lock (_lock) running = [_running ?? Task.CompletedTask, _shrinking ?? Task.CompletedTask];
        Task.WhenAll(running).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();
    }

    // Holds the lock so that the store does not close meanwhile.
    private unsafe bool IsFull()
    {
        lock (_lock)
        {
            if (_closing) return false;
            EpochSlot* slot = tier.Core.Epochs.Acquire("the index's growth");
            tier.Core.Epochs.Enter(slot);
            try
            {
                return IndexFill.Of(tier.Index.State.Table, tier.Log.BeginAddress) > Full;
            }
            finally
            {
                tier.Core.Epochs.Leave(slot);
                tier.Core.Epochs.Release(slot);
            }
        }
    }

    // Does not access the index's memory: most stores have their initial size.
    private bool MayShrink => !tier.Index.IsResizing
        && tier.Index.BucketCount / 2 >= Volatile.Read(ref _leastBuckets);

    private async Task ShrinkWhileEmptyAsync()
    {
        try
        {
            while (IsMostlyEmpty() && await ResizeAsync(ResizeKind.Join).Here()) { }
        }
        catch (Exception e)
        {
            tier.Core.OnFault(e); // the index stays as it is, and works
        }
    }

    private bool IsMostlyEmpty()
    {
        if (!MayShrink || !tier.Index.Exclusion.Wait(0)) return false; // who resizes, or saves it: another time
        try
        {
            IndexTable table = tier.Index.State.Table;
            return !_closing && CanShrink(table)
                && IndexFill.Of(table, tier.Log.BeginAddress) < MostlyEmpty;
        }
        finally
        {
            tier.Index.Exclusion.Release();
        }
    }

    private async Task<bool> ResizeAfterAsync(Task? before, ResizeKind kind)
    {
        if (before is not null) await before.HereQuietly();
        if (_closing) return false;
        await tier.Index.Exclusion.WaitAsync().Here(); // for a checkpoint, which writes one table
        try
        {
            return ResizeAlone(kind);
        }
        finally
        {
            tier.Index.Exclusion.Release();
        }
    }

    private bool ResizeAlone(ResizeKind kind)
    {
        if (kind == ResizeKind.Join && !CanShrink(tier.Index.State.Table)) return false;
        long together = tier.Index.BytesTo(kind);
        if (together > plan.IndexLimit) return Refused(kind);
        Pledge(together);
        try
        {
            if (!tier.Memory.TryMakeSpace(() => _closing)) return !_closing && Refused(kind);
            var finished = new TaskCompletionSource();
            if (!tier.Index.TryStart(kind, tier.Memory.Chains, () => finished.TrySetResult()))
                return Refused(kind); // inserts have taken meanwhile what the new table needs, or chains share tags now
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

    // Returns false if the store is closing; the resize is then left incomplete.
    private unsafe bool Drive()
    {
        EpochSlot* slot = tier.Core.Epochs.Acquire("the index's resize");
        try
        {
            for (;;)
            {
                try
                {
                    return tier.Index.DriveResize(slot, WaitForSpace);
                }
                catch (FasterException e)
                {
                    // The disk or the memory is full: operations also receive the error, and continue once there is
                    // space.
                    tier.Core.OnFault(e);
                    if (_ending) return false;
                    Thread.Sleep(FaultPause);
                }
            }
        }
        finally
        {
            tier.Core.Epochs.Release(slot);
        }
    }

    private bool WaitForSpace()
    {
        if (_closing) return false;
        tier.Log.WaitForSpace();
        return true;
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
        table.BucketCount >= 2 * MemoryPlan.MinBuckets && IndexPhases.CanStart(ResizeKind.Join, table);

    private LimitExceededException Refusal(ResizeKind kind)
    {
        var bytes = new ByteSize(tier.Index.Bytes);
        long buckets = tier.Index.BucketCount;
        string raise = "old and new table stand side by side meanwhile. Raise StoreOptions.MemoryBudget.";
        if (kind == ResizeKind.Split)
        {
            return new LimitExceededException(
                $"The index of {bytes} can't double within its half of the budget of {tier.Core.Options.MemoryBudget}: "
                + raise);
        }

        string because = buckets < 2 * MemoryPlan.MinBuckets ? $"it has the least size of {buckets} buckets already."
            : buckets % 2 != 0 ? $"its number of buckets, {buckets}, is odd. It can be once it has grown."
            : tier.Index.SharedTagBuckets > 0 ? "keys share its entries since it reached its limit, and have to go on "
                + "so. Copy the store into a new one with a larger StoreOptions.MemoryBudget."
            : "its half of the budget is used up, and " + raise;
        return new LimitExceededException($"The index of {bytes} can't be halved: {because}");
    }
}
