using Faster.Compaction;
using Faster.Compaction.Expiry;
using Faster.Compaction.Truncation;
using Faster.Index.Trimming;
using Faster.Log;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Engines.Tiered;

/// <summary>
/// Keeps the hot log near its size: moves its oldest part to the cold log, step by step (hot-cold compaction, paper 003
/// §5.2, §8.1).
/// </summary>
/// <remarks>
/// <para>A step moves two fifths of the size, whole pages: the more records move together, the more of them each sweep
/// of the cold index serves. It begins when the log has reached its size; writers are throttled from a quarter above it
/// on (<see cref="TailThrottle"/>), so that they do not outrun it.</para>
/// <para>What has expired is looked for by another task (<see cref="ExpiredLogCompactor"/>), which makes its
/// steps here: one at a time, so that each knows how much the cold log has space for.</para>
/// <para>With a disk budget a step waits until the cold log has space for what it moves, or can't get any
/// (<see cref="DiskBudgetCompactor.WaitForSpaceAsync"/>): so writers wait for the compaction of the cold log,
/// by the throttle of the hot one. What kept commits hold of the hot log counts as part of it then, and what only
/// readers hold does not (<see cref="ReaderWatch"/>).</para>
/// <para>After a step, the overflow buckets that the index needed for the keys that have left are given back
/// (<see cref="IndexTrimmer"/>).</para>
/// <para>Where a step can move nothing because a value larger than a page is being written there, no writer is
/// throttled, and the step is tried again a moment later.</para>
/// <para>One task. A step that fails is reported, and tried again (<see cref="RetryDelay"/>); meanwhile no writer is
/// throttled.</para>
/// </remarks>
internal sealed class HotLogCompactor : IDisposable
{
    private const int Parts = 5, PartsOfStep = 2;

    private readonly StoreCore _core;
    private readonly PagedLog _log;
    private readonly LogTruncation _truncation;
    private readonly TailThrottle _throttle;
    private readonly CompactionLoop _loop;
    private readonly ReaderWatch _readers;
    private readonly IndexTrimmer _trimmer;
    private readonly long _size, _step;
    private readonly Func<Task>? _free;
    private readonly DiskBudgetCompactor? _below;
    private readonly DiskSpace? _space;
    private readonly long _most; // bytes on the device
    private volatile bool _awaitsWriter, _fails;

    /// <summary>Creates a compactor that does not run yet.</summary>
    /// <param name="tier">The hot tier.</param>
    /// <param name="truncation">Moves records to the cold tier, and truncates the log.</param>
    /// <param name="size">The size in bytes that the log is kept near.</param>
    /// <param name="free">Commits until the truncated space is free; null where commits don't follow a step.</param>
    /// <param name="below">Keeps the cold log within its disk budget; null where there is none.</param>
    /// <param name="space">The log's space on its device if there is a disk budget; otherwise null.</param>
    public HotLogCompactor(
        Tier tier, LogTruncation truncation, long size, Func<Task>? free = null,
        DiskBudgetCompactor? below = null, DiskSpace? space = null)
    {
        (_core, _log, _truncation, _size, _free) = (tier.Core, tier.PagedLog!, truncation, size, free);
        (_below, _space, _most) = (below, space, space?.BytesBetween(0, TieredShares.Largest(size)) ?? 0);
        _trimmer = new IndexTrimmer(tier.Index, _core.Epochs, new StepWaits(_core.Epochs));
        _step = Math.Max(size / Parts * PartsOfStep, _log.PageSize);
        _throttle = new TailThrottle(
            FullFrom, () => _awaitsWriter || _fails || _core.Commits.WaitsForSessions, _log.Gate, _log.PageSize);
        _log.Throttle = _throttle;
        _loop = new CompactionLoop(StepAsync, OnFailure);
        _readers = new ReaderWatch(tier, space, _most, "the hot log's part of TieredOptions.DiskBudget");
    }

    /// <summary>Whether the log takes more space than it may, since steps fail, or readers hold it.</summary>
    public bool IsExceeded => (_fails && _space?.HeldUpTo(_log.TailAddress) > _most) || _readers.IsExceeded;

    private SemaphoreSlim Alone { get; } = new(1, 1);

    private bool IsDue => _log.TailAddress - _log.BeginAddress >= _size;

    /// <summary>Starts the task.</summary>
    public void Start()
    {
        _throttle.Engage();
        _loop.Start();
    }

    /// <summary>Stops the task, and waits for it. A step under way must have been told to stop.</summary>
    public void Dispose()
    {
        _loop.Stop();
        _throttle.Dispose();
        _loop.Dispose();
    }

    /// <summary>
    /// Moves the oldest part of the log to the cold log, as far as that has space for it, and truncates it. Waits for
    /// space, and for another such step.
    /// </summary>
    /// <param name="until">The end of the part, known when the step begins.</param>
    /// <param name="ct">Cancels the waiting for space, on which that of another step depends.</param>
    /// <returns>The number of bytes of the log that were truncated: none if another step has come so far.</returns>
    public async Task<long> MoveAsync(Func<long> until, CancellationToken ct)
    {
        await Alone.WaitAsync(CancellationToken.None).Here(); // another one would need a thread of the pool
        try
        {
            long most = _below is null ? long.MaxValue : await _below.WaitForSpaceAsync(ct).Here();
            long to = until();
            if (to <= _log.BeginAddress) return 0;
            CompactionResult result = await _truncation.CompactStepAsync(to, most).Here();
            if (result.BytesReclaimed == 0) return 0;
            await _trimmer.RunAsync(_log.BeginAddress).Here();
            await _truncation.ReleaseAsync().Here();
            return result.BytesReclaimed;
        }
        finally
        {
            Alone.Release();
        }
    }

    private async Task StepAsync()
    {
        await _readers.WaitForAsync(() => IsDue, _loop.Stopped).Here();
        long moved = await MoveAsync(
            () => IsDue ? _log.PageStartOf(Math.Min(_log.BeginAddress + _step, _log.TailAddress)) : 0, _loop.Stopped)
            .Here();
        // Throttling would delay the writer for which all others wait.
        (_awaitsWriter, _fails) = (moved == 0 && IsDue, false);
        if (_awaitsWriter) await _loop.PauseAsync().Here();
        else if (moved != 0 && _free is not null) await _free().Here();
    }

    private long FullFrom() =>
        _space?.PageHeldAt(_most) ?? (_log.BeginAddress + TieredShares.Largest(_size)) >> _log.PageBits;

    private bool OnFailure(Exception failure)
    {
        _fails = true;
        _core.OnFault(failure);
        return _free is null || failure is not StorageException { MayRetry: false };
    }
}
