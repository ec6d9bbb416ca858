using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Index;

/// <summary>
/// Leads an index from one size to twice or half of it, while operations run: stable, prepare, resizing, stable (paper
/// 000, App. B).
/// </summary>
/// <remarks>
/// <para>Invariant: nobody works in a chunk of the old table while it is converted nor after, nor in what comes of it
/// before that has been done. The proof is in docs/INDEX.md; it is one for growing and shrinking.</para>
/// <para>Thread-safe. Nobody waits in an epoch.</para>
/// </remarks>
internal sealed unsafe class IndexPhases<TProbe>(
    HashIndex<TProbe> index, EpochTable<TProbe> epochs, IndexBudget budget)
    where TProbe : struct, IProbe
{
    private const int MostYields = 8;

    private int _resizing;
    private long _mostBuckets;

    /// <summary>Whether a resize is under way; until the old table has been freed.</summary>
    public bool IsResizing => Volatile.Read(ref _resizing) != 0;

    /// <summary>The most buckets that a table has had since <see cref="WatchBucketCount"/>.</summary>
    public long MostBuckets
    {
        get
        {
            lock (budget.Gate) return _mostBuckets;
        }
    }

    /// <summary>Begins to watch the number of buckets, for the sake of commits.</summary>
    public void WatchBucketCount()
    {
        lock (budget.Gate) _mostBuckets = index.State.LargestBucketCount;
    }

    /// <inheritdoc cref="HashIndex{TProbe}.TryStart"/>
    public bool TryStart(ResizeKind kind, IChainResizer chains, Action onFinished)
    {
        if (Interlocked.CompareExchange(ref _resizing, 1, 0) != 0) return false;
        Resize? resize = null;
        try
        {
            long spare = Resize.SpareBytes(kind, index.State.Table); // nobody else resizes: the table stays
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
        if (TProbe.Has(SeededBug.ResizeWithoutEpoch)) index.Publish(new IndexState(IndexPhase.Resizing, resize));
        else epochs.Bump(() => index.Publish(new IndexState(IndexPhase.Resizing, resize)));
        return true;
    }

    /// <summary>
    /// Whether a table can be resized: where tags share entries, two chains can't be merged by tags.
    /// </summary>
    public static bool CanStart(ResizeKind kind, IndexTable table) => kind == ResizeKind.Split
        || (table.BucketCount % 2 == 0 && (table.FrozenBuckets == 0 || TProbe.Has(SeededBug.MergeIgnoresFrozen)));

    /// <summary>As <see cref="HashIndex{TProbe}.TryLocate"/>, in any phase.</summary>
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
                TProbe.Point(ProbePoint.GrowthPin);
                bucket.Pin = chunk;
                if (resize.TryPin(chunk)) return true;

                // Conversion has begun, so the state that was read has been replaced.
                TProbe.Point(ProbePoint.GrowthState);
                continue;
            }

            if (!resize.IsDone(chunk) && !TryConvert(resize, chunk, out _)) return false;
            bucket.Bucket = resize.New.Buckets + HashBits.BucketOf(hash, resize.New.BucketCount);
            return true;
        }
    }

    /// <summary>Lets a chunk go. The pin itself keeps the resize from ending, so that the state still has it.</summary>
    public void Unpin(int chunk)
    {
        TProbe.Point(ProbePoint.GrowthPin);
        index.State.Resize!.Unpin(chunk);
    }

    /// <inheritdoc cref="HashIndex{TProbe}.HelpResize"/>
    public bool Help(EpochSlot* slot, out bool lacksRoom)
    {
        TProbe.Point(ProbePoint.GrowthState);
        lacksRoom = false;
        IndexState state = index.State;
        int chunk = state.Phase == IndexPhase.Resizing ? state.Resize!.FindFreeChunk() : -1;
        if (chunk >= 0)
        {
            epochs.Enter(slot);
            try
            {
                if (TryConvert(state.Resize!, chunk, out lacksRoom)) return true;
            }
            finally
            {
                epochs.Leave(slot);
            }
        }

        if (!lacksRoom && IsResizing) WaitForOthers();
        return false;
    }

    // Under the caller's epoch, in the resizing phase. False: others pin the chunk, or one converts it, or the log has
    // no room for what joins its chains.
    private bool TryConvert(Resize resize, int chunk, out bool lacksRoom)
    {
        lacksRoom = false;
        TProbe.Point(ProbePoint.GrowthPin);
        bool claimed = TProbe.Has(SeededBug.SplitIgnoresPins)
            ? resize.TryClaimIgnoringPins(chunk)
            : resize.TryClaim(chunk);
        if (!claimed) return resize.IsDone(chunk);
        bool done = false;
        try
        {
            if (resize.Kind == ResizeKind.Split) ChunkSplit<TProbe>.Run(resize, chunk);
            done = resize.Kind == ResizeKind.Split || ChunkMerge<TProbe>.TryRun(resize, chunk);
            lacksRoom = !done;
        }
        finally
        {
            if (!done && TProbe.Has(SeededBug.InterruptedIsFree)) resize.GiveUpAsFree(chunk);
            else if (!done) resize.GiveUp(chunk);
        }

        if (done && resize.MarkDone(chunk)) Finish(resize);
        return done;
    }

    // A while, or until the resize has come on or the caller can help it to.
    private void WaitForOthers()
    {
        IndexState state = index.State;
        long done = state.Resize?.DoneCount ?? 0;
        epochs.Drain();
        for (int i = 0; i < MostYields && IsResizing; i++)
        {
            if (index.State != state || (state.Resize?.DoneCount ?? 0) != done) return;
            if (state.Phase == IndexPhase.Resizing && state.Resize!.HasFreeChunk) return;
            TProbe.Point(ProbePoint.Wait);
            Thread.Yield();
        }
    }

    private void Finish(Resize resize)
    {
        TProbe.Point(ProbePoint.GrowthState);
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
