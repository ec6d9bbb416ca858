using Faster.Epochs;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Index.Resizing;

/// <summary>
/// Doubles or halves an index while operations run, through the phases stable, prepare, resizing, stable (paper 000,
/// App. B).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No operation works in a chunk of the old table while it is converted nor afterwards.</item>
/// <item>None works in the corresponding buckets of the new table before the conversion has ended.</item>
/// </list>
/// <para>The proof is in docs/internals/index-resizing.md; it covers growing and shrinking.</para>
/// <para>Thread-safe. No thread waits in an epoch.</para>
/// </remarks>
internal sealed unsafe class IndexPhases(HashIndex index, EpochTable epochs, IndexBudget budget)
{
    private const int MaxYields = 8;

    private int _resizing;
    private long _mostBuckets;

    /// <summary>Whether a resize is in progress, until the old table has been freed.</summary>
    public bool IsResizing => Volatile.Read(ref _resizing) != 0;

    /// <summary>The largest number of buckets of any table since <see cref="WatchBucketCount"/>.</summary>
    public long MaxBuckets
    {
        get
        {
            lock (budget.Gate) return _mostBuckets;
        }
    }

    /// <summary>Starts to watch the number of buckets, for commits.</summary>
    public void WatchBucketCount()
    {
        lock (budget.Gate) _mostBuckets = index.State.LargestBucketCount;
    }

    /// <inheritdoc cref="HashIndex.TryStart"/>
    public bool TryStart(ResizeKind kind, IChainResizer chains, Action onFinished)
    {
        if (Interlocked.CompareExchange(ref _resizing, 1, 0) != 0) return false;
        Resize? resize = null;
        try
        {
            long spare = Resize.SpareBytes(kind, index.State.Table); // no other thread resizes: the table stays
            lock (budget.Gate)
            {
                IndexState state = index.State;
                if (CanStart(kind, state.Table) && budget.BytesTo(kind, state, spare) <= budget.Limit)
                {
                    IndexTable old = state.Table;
                    long count = kind == ResizeKind.Split ? checked(old.BucketCount * 2) : old.BucketCount / 2;
                    resize = new Resize(old, new IndexTable(count), spare, chains, onFinished);
                    _mostBuckets = Math.Max(_mostBuckets, count);
                    index.Publish(new IndexState(IndexPhase.Prepare, resize));
                }
            }
        }
        finally
        {
            if (resize is null) Volatile.Write(ref _resizing, 0);
        }

        if (resize is null) return false;
        if (Probe.On && Probe.Has(SeededBug.ResizeWithoutEpoch))
            index.Publish(new IndexState(IndexPhase.Resizing, resize));
        else epochs.Bump(() => index.Publish(new IndexState(IndexPhase.Resizing, resize)));
        return true;
    }

    /// <summary>Whether a table can be resized: where tags share entries, chains can't be joined by tags.</summary>
    public static bool CanStart(ResizeKind kind, IndexTable table) => kind == ResizeKind.Split
        || (table.BucketCount % 2 == 0
            && (table.SharedTagBuckets == 0 || (Probe.On && Probe.Has(SeededBug.JoinIgnoresSharing))));

    /// <summary>As <see cref="HashIndex.TryLocate"/>, in any phase.</summary>
    public bool TryLocate(ulong hash, out BucketRef bucket)
    {
        bucket = default;
        while (true)
        {
            IndexState state = index.State;
            long number = HashBits.BucketOf(hash, state.BucketCount);
            bucket.Bucket = state.Buckets + number;
            bucket.Pin = -1;
            if (state.Phase == IndexPhase.Stable) return true;

            Resize resize = state.Resize!;
            int chunk = resize.ChunkOf(number);
            if (state.Phase == IndexPhase.Prepare)
            {
                Probe.Point(ProbePoint.GrowthPin);
                bucket.Pin = chunk;
                if (resize.TryPin(chunk)) return true;

                // Conversion has begun, so the state that was read has been replaced.
                Probe.Point(ProbePoint.GrowthState);
                continue;
            }

            if (!resize.IsDone(chunk) && !TryConvert(resize, chunk, out _)) return false;
            bucket.Bucket = resize.New.Buckets + HashBits.BucketOf(hash, resize.New.BucketCount);
            return true;
        }
    }

    /// <summary>Unpins a chunk. The pin itself keeps the resize from ending, so the state still has it.</summary>
    public void Unpin(int chunk)
    {
        Probe.Point(ProbePoint.GrowthPin);
        index.State.Resize!.Unpin(chunk);
    }

    /// <inheritdoc cref="HashIndex.HelpResize"/>
    public bool Help(EpochSlot* slot, out bool lacksSpace)
    {
        Probe.Point(ProbePoint.GrowthState);
        lacksSpace = false;
        IndexState state = index.State;
        int chunk = state.Phase == IndexPhase.Resizing ? state.Resize!.FindFreeChunk() : -1;
        if (chunk >= 0)
        {
            epochs.Enter(slot);
            try
            {
                if (TryConvert(state.Resize!, chunk, out lacksSpace)) return true;
            }
            finally
            {
                epochs.Leave(slot);
            }
        }

        if (!lacksSpace && IsResizing) WaitForOthers();
        return false;
    }

    // Under the caller's epoch, in the resizing phase. False when other operations pin the chunk or another thread
    // converts it, or when the log has no space for chain-join records.
    private bool TryConvert(Resize resize, int chunk, out bool lacksSpace)
    {
        lacksSpace = false;
        Probe.Point(ProbePoint.GrowthPin);
        bool claimed = Probe.On && Probe.Has(SeededBug.SplitIgnoresPins)
            ? resize.TryClaimIgnoringPins(chunk)
            : resize.TryClaim(chunk);
        if (!claimed) return resize.IsDone(chunk);
        bool done = false;
        try
        {
            if (resize.Kind == ResizeKind.Split) ChunkSplit.Run(resize, chunk);
            done = resize.Kind == ResizeKind.Split || ChunkJoin.TryRun(resize, chunk);
            lacksSpace = !done;
        }
        finally
        {
            if (!done && Probe.On && Probe.Has(SeededBug.InterruptedIsFree)) resize.GiveUpAsFree(chunk);
            else if (!done) resize.GiveUp(chunk);
        }

        if (done && resize.MarkDone(chunk)) Finish(resize);
        return done;
    }

    // Waits a while, or until the resize has made progress or the caller can help it.
    private void WaitForOthers()
    {
        IndexState state = index.State;
        long done = state.Resize?.DoneCount ?? 0;
        epochs.Drain();
        for (int i = 0; i < MaxYields && IsResizing; i++)
        {
            if (index.State != state || (state.Resize?.DoneCount ?? 0) != done) return;
            if (state.Phase == IndexPhase.Resizing && state.Resize!.HasFreeChunk) return;
            Probe.Point(ProbePoint.Wait);
            Thread.Yield();
        }
    }

    private void Finish(Resize resize)
    {
        Probe.Point(ProbePoint.GrowthState);
        budget.SetRetired(resize.Old.Bytes);
        index.Publish(new IndexState(resize.New));
        epochs.Bump(() =>
        {
            resize.Old.Dispose();
            budget.SetRetired(0);
            index.RearmCrowded();
            Volatile.Write(ref _resizing, 0);
            resize.OnFinished();
        });
    }
}
