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
/// <para>While steps fail, no writer is throttled.</para>
/// </remarks>
internal sealed class HotLogCompactor : Compactor
{
    private const int Parts = 5, PartsOfStep = 2;

    private readonly StoreCore _core;
    private readonly PagedLog _log;
    private readonly LogTruncation _truncation;
    private readonly TailThrottle _throttle;
    private readonly ReaderWatch _readers;
    private readonly IndexTrimmer _trimmer;
    private readonly DiskSpace _space;
    private readonly long _size, _step;
    private readonly long _most; // bytes on the device, if there is a disk budget
    private volatile bool _awaitsWriter;

    /// <summary>Creates a compactor that does not run yet.</summary>
    /// <param name="tier">The hot tier.</param>
    /// <param name="truncation">Moves records to the cold tier, and truncates the log.</param>
    /// <param name="space">The log's space on its device.</param>
    /// <param name="size">The size in bytes that the log is kept near.</param>
    /// <param name="hasBudget">Whether there is a disk budget, so that what kept commits hold counts.</param>
    public HotLogCompactor(Tier tier, LogTruncation truncation, DiskSpace space, long size, bool hasBudget)
        : base(tier.PagedLog!.Gate, tier.Core.OnFault)
    {
        (_core, _log, _truncation, _space, _size) = (tier.Core, tier.PagedLog, truncation, space, size);
        _most = hasBudget ? space.BytesBetween(0, TieredShares.Largest(size)) : long.MaxValue;
        _trimmer = new IndexTrimmer(tier.Index, _core.Epochs, new StepWaits(_core.Epochs));
        _step = Math.Max(size / Parts * PartsOfStep, _log.PageSize);
        _throttle = new TailThrottle(
            FullFrom, () => _awaitsWriter || Fails || _core.Commits.WaitsForSessions, _log.Gate, _log.PageSize);
        _log.Throttle = _throttle;
        _readers = new ReaderWatch(tier, space, _most, "the hot log's part of TieredOptions.DiskBudget");
    }

    /// <summary>
    /// Waits until the cold log has space, or can get none; returns how many bytes of copies it has space for. By
    /// default there is no limit.
    /// </summary>
    public Func<CancellationToken, Task<long>> WaitForSpace { get; init; } =
        static _ => Task.FromResult(long.MaxValue);

    /// <summary>Whether the log takes more space than it may, since steps fail, or readers hold it.</summary>
    public override bool IsExceeded => (Fails && _space.HeldUpTo(_log.TailAddress) > _most) || _readers.IsExceeded;

    private SemaphoreSlim Alone { get; } = new(1, 1);

    private bool IsDue => _log.TailAddress - _log.BeginAddress >= _size;

    /// <inheritdoc/>
    public override void Start()
    {
        _throttle.Engage();
        base.Start();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        Stop();
        _throttle.Dispose();
        base.Dispose();
    }

    /// <summary>
    /// Moves the oldest part of the log to the cold log, as far as that has space for it, and truncates it. Waits for
    /// space, and for another such step.
    /// </summary>
    /// <param name="until">The end of the part, known when the step begins.</param>
    /// <param name="ct">Cancels the waiting for space, on which that of another step depends.</param>
    /// <returns>
    /// The number of bytes of the log that were truncated, whose space is released later: none if another step has
    /// come so far.
    /// </returns>
    public async Task<long> MoveAsync(Func<long> until, CancellationToken ct)
    {
        await Alone.WaitAsync(CancellationToken.None).Here(); // another one would need a thread of the pool
        try
        {
            long most = await WaitForSpace(ct).Here();
            long to = until();
            if (to <= _log.BeginAddress) return 0;
            CompactionResult result = await _truncation.CompactStepAsync(to, most).Here();
            if (result.BytesReclaimed != 0) await _trimmer.RunAsync(_log.BeginAddress).Here();
            return result.BytesReclaimed;
        }
        finally
        {
            Alone.Release();
        }
    }

    /// <inheritdoc/>
    protected override Task WaitAsync() => _readers.WaitForAsync(() => IsDue, Stopped);

    /// <inheritdoc/>
    protected override Task<long> ChooseAsync() => Task.FromResult(NextEnd());

    /// <inheritdoc/>
    /// <remarks>Goes on from where another step may have come to, for which this one has waited.</remarks>
    protected override async Task<long> StepAsync(long until)
    {
        long moved = await MoveAsync(NextEnd, Stopped).Here();
        _awaitsWriter = moved == 0 && IsDue; // throttling would delay the writer for which all others wait
        return moved;
    }

    /// <inheritdoc/>
    protected override Task ReleaseAsync() => _truncation.ReleaseAsync();

    private long NextEnd() =>
        IsDue ? _log.PageStartOf(Math.Min(_log.BeginAddress + _step, _log.TailAddress)) : 0;

    private long FullFrom() => _most != long.MaxValue
        ? _space.PageHeldAt(_most)
        : (_log.BeginAddress + TieredShares.Largest(_size)) >> _log.PageBits;
}
