using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Engines;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Large;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Compaction.Truncation;

/// <summary>
/// Truncates the oldest part of the log (paper 000, App. C): directly, by address or by age, or after its live records
/// have been copied to the tail.
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="TruncationSteps"/>:</para>
/// <list type="bullet">
/// <item>One run truncates at a time. Nothing is truncated by a run that has failed.</item>
/// <item>What steps that fail again and again write is bounded: a page's copies for each
/// (<see cref="CompactStepAsync"/>).</item>
/// <item>No live record lies below Begin after a compaction: it has been copied above it.</item>
/// <item>Space that a pin or a kept commit may need is not released.</item>
/// </list>
/// <para>The order of steps:</para>
/// <list type="number">
/// <item>Copies are linked.</item>
/// <item>The epoch passes, so that every operation that searches from now on finds them.</item>
/// <item>Begin rises, and chains end there.</item>
/// <item>The epoch passes again.</item>
/// <item>The device releases the space: at once where the store is never recovered, otherwise when no kept commit may
/// need it (<see cref="LogCommits.LogParticipant"/>).</item>
/// </list>
/// <para>Begin stays at or below Head, at the start of a page: what will be truncated leaves memory first.</para>
/// <para>A value in fragments that is being written is spared: Begin stops below it, unless its writer has stalled
/// (<see cref="FragmentWrites"/>).</para>
/// <para>No run waits for a reader. What a scan, or the reader of a value in fragments, has pinned below Begin stays on
/// the device, and is released by a task of its own when the pin has ended.</para>
/// <para>Thread-safe. Runs are serialized.</para>
/// </remarks>
internal sealed class LogTruncation : IDisposable
{
    private const int MarksForEachAge = 8;

    private readonly PagedLog _log;
    private readonly PageFlusher _flusher;
    private readonly StoreCore _core;
    private readonly DiskSpace _space;
    private readonly bool _isAtOnce; // otherwise commits say what they need no more
    private readonly LogAgeIndex _marks;
    private readonly ILiveRecordCopier _copier;
    private long _part = long.MaxValue; // of the log, that a step compacts at most
    private volatile bool _closing;
    private int _isReleaseDue;

    /// <summary>Makes the truncation of a log.</summary>
    /// <param name="tier">The log's tier.</param>
    /// <param name="marks">The log's age index.</param>
    /// <param name="space">The device's space.</param>
    /// <param name="isAtOnce">Whether it may be released at once: no commit needs it.</param>
    /// <param name="makeCopier">Makes the copier of live records.</param>
    public LogTruncation(
        Tier tier, LogAgeIndex marks, DiskSpace space, bool isAtOnce,
        Func<LogTruncation, ILiveRecordCopier> makeCopier)
    {
        (_core, _log, _flusher, _marks) = (tier.Core, tier.PagedLog!, tier.Flusher!, marks);
        (_space, _isAtOnce) = (space, isAtOnce);
        Liveness = new LivenessFilter(
            tier.Storage!, merges: tier.Schema.Merger is not null, leaves: tier.Below is not null);
        Steps = new TruncationSteps(_log, new StepWaits(tier.Core.Epochs));
        _copier = makeCopier(this);
        _log.BecameSafe = marks.Add;
    }

    /// <inheritdoc cref="TruncationSteps.Rising"/>
    public SemaphoreSlim Rising => Steps.Rising;

    /// <summary>The steps of a truncation, in order.</summary>
    public TruncationSteps Steps { get; }

    /// <summary>Decides whether compaction copies a record.</summary>
    public LivenessFilter Liveness { get; }

    /// <summary>Whether the store is being closed.</summary>
    public bool IsClosing => _closing;

    private SemaphoreSlim Alone { get; } = new(1, 1);

    // Space that a reader has held does not wait for the run under way.
    private SemaphoreSlim Releasing { get; } = new(1, 1);

    /// <summary>What this process has compacted and truncated.</summary>
    public CompactionFigures Figures { get; } = new();

    /// <summary>From now on space is released when the readers that have held it have ended.</summary>
    public void Start() => _log.Pins.Released = OnUnpinned;

    /// <summary>Truncates the log below an address, which is rounded down to the start of a page.</summary>
    public async Task TruncateAsync(long until)
    {
        CheckAddress(until);
        _ = await AloneAsync(async () =>
        {
            await GiveUpAsync(Spared(until)).Here();
            return 0;
        }).Here();
        await ReleaseAsync().Here();
    }

    /// <summary>Truncates what was last changed longer ago than a time span.</summary>
    /// <returns>The new begin address.</returns>
    public async Task<long> TruncateOlderThanAsync(TimeSpan age)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(age, TimeSpan.Zero);
        long begin = await AloneAsync(async () =>
        {
            // What is still updated in place has no age. A caller that truncates regularly makes the marks that it will
            // need.
            DateTime now = _marks.Now;
            if (now - _marks.Newest > age / MarksForEachAge && _log.TailAddress > _log.SafeImmutableAddress)
            {
                await Steps.ShiftReadOnlyToTailAsync().Here();
                _marks.Add(_log.SafeImmutableAddress); // the thread that raised it notes it afterwards, maybe late
            }

            long oldest = age < now - DateTime.MinValue ? _marks.Before(now - age) : 0;
            await GiveUpAsync(Spared(oldest)).Here();
            return _log.BeginAddress;
        }).Here();
        await ReleaseAsync().Here();
        return begin;
    }

    /// <summary>
    /// Copies live records below an address, rounded down to the start of a page, to the tail; truncates the rest.
    /// </summary>
    public async Task<CompactionResult> CompactAsync(long until)
    {
        CompactionResult result = await CompactWithoutReleaseAsync(until).Here();
        await ReleaseAsync().Here();
        return result;
    }

    /// <summary>
    /// As <see cref="CompactAsync"/>, but the disk space is released later, and the run ends, at the end of a page,
    /// when the copies take a number of bytes.
    /// </summary>
    public Task<CompactionResult> CompactWithoutReleaseAsync(long until, long maxCopied = long.MaxValue)
    {
        CheckAddress(until);
        return AloneAsync(async () =>
        {
            long from = _log.BeginAddress, spared = Spared(until), to = spared;
            var counters = new CopyCounters();
            if (to > from)
            {
                await Steps.ShiftReadOnlyAsync(to).Here();
                (counters, to) = await BackgroundTasks.Run(() => _copier.Run(from, spared, maxCopied)).Here();
                await GiveUpAsync(to).Here();
            }

            Figures.Count(counters);
            return new CompactionResult
            {
                BeginAddress = _log.BeginAddress,
                RecordsExamined = counters.Examined,
                RecordsCopied = counters.Copied,
                BytesCopied = counters.BytesCopied,
                BytesReclaimed = Math.Max(to - from, 0),
            };
        });
    }

    /// <summary>
    /// A step of a background task: as <see cref="CompactWithoutReleaseAsync"/>, but where that fails, for example at a
    /// damaged page, only the first half of it is compacted, and so on. So what lies before the page that is at fault
    /// is compacted and truncated, the page is tried alone from then on, and a retry copies no other page again.
    /// </summary>
    /// <returns>What was done of it: at least a page, unless a large value is being written there.</returns>
    /// <exception cref="FasterException">The first page can't be compacted.</exception>
    public async Task<CompactionResult> CompactStepAsync(long until, long maxCopied = long.MaxValue)
    {
        for (; ;)
        {
            long from = _log.PageStartOf(_log.BeginAddress);
            long all = Math.Max(until - from, _log.PageSize), length = Math.Min(all, _part);
            try
            {
                CompactionResult result = await CompactWithoutReleaseAsync(Math.Min(until, from + length), maxCopied)
                    .Here();
                _part = length < all ? 2 * length : long.MaxValue;
                return result;
            }
            catch (FasterException e) when (e is not (StorageException { MayRetry: false } or InvariantException))
            {
                _part = Math.Max(_log.PageStartOf(length / 2), _log.PageSize);
                if (length <= _log.PageSize) throw;
            }
        }
    }

    /// <summary>
    /// Releases the disk space of what has been truncated, where no commit may need it and no reader holds it.
    /// </summary>
    public async Task ReleaseAsync()
    {
        await Releasing.WaitAsync().Here();
        try
        {
            Interlocked.Exchange(ref _isReleaseDue, 0); // a pin that is released from now on makes another one due
            long needed = _isAtOnce ? _log.BeginAddress : 0; // Begin has been raised before the pins are read (LogPins)
            if (!_closing) await BackgroundTasks.Run(() => _space.Release(needed)).Here();
        }
        finally
        {
            Releasing.Release();
        }

        _log.Gate.Signal(); // wakes those that wait for disk space
    }

    /// <summary>Refuses new runs, stops the one under way, and waits for its end, and for that of a release.</summary>
    public void Dispose()
    {
        _closing = true;
        Alone.Wait();
        Alone.Release();
        Releasing.Wait();
        Releasing.Release();
    }

    // Called by the thread that has released the pin. Where nothing was truncated above it, it has held nothing.
    private void OnUnpinned(long address)
    {
        if (address >= _log.BeginAddress || _closing || Interlocked.Exchange(ref _isReleaseDue, 1) != 0) return;
        _ = BackgroundTasks.Run(async () =>
        {
            try
            {
                await ReleaseAsync().Here();
            }
            catch (StorageException e)
            {
                _core.OnFault(e); // the next release tries again
            }
        });
    }

    // The address up to which no writer is about to link a record to fragments below it.
    private long Spared(long until) => _log.PageStartOf(Math.Min(until, _log.Writes.LowestHeld()));

    private void CheckAddress(long until)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(until);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(until, _log.TailAddress);
    }

    private async Task<T> AloneAsync<T>(Func<Task<T>> run)
    {
        await Alone.WaitAsync().Here();
        try
        {
            ClosedStore.ThrowIf(_closing);
            return await run().Here();
        }
        catch (OperationCanceledException) when (_closing)
        {
            throw new ObjectDisposedException(nameof(FasterStore), "The store was closed meanwhile.");
        }
        finally
        {
            Alone.Release();
        }
    }

    private async Task GiveUpAsync(long to)
    {
        long from = _log.BeginAddress;
        if (to <= from) return;
        await Steps.RunAsync(to, _flusher.FlushedAsync).Here();
        _marks.Forget(to);
        Figures.CountReclaimed(to - from);
    }
}
