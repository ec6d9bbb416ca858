using Faster.Contracts;
using Faster.Log;
using Faster.Sessions;

namespace Faster.Compaction;

/// <summary>
/// Gives up the oldest part of the log (paper 000, App. C): as it is, by address or by age, or after what lives in it
/// has been copied to the tail.
/// </summary>
/// <remarks>
/// <para>The order of things: (1) copies are linked; (2) the epoch is waited for, so that everybody who looks from now
/// on finds them; (3) the begin rises, and chains end there; (4) the epoch is waited for again; (5) the device gives
/// its space back, at once where nobody recovers the store, and else when no commit that is kept may need it
/// (<see cref="LogParticipant{TProbe}"/>). The begin stays at or below the head, on a page's start: what is to be given
/// up leaves memory first.</para>
/// <para>A value in chunks that is just being written is spared: the begin stops below it, unless its writer does not
/// move any more (<see cref="ChunkWrites"/>). One that is being read stays on the device until it has been read.</para>
/// <para>Thread-safe; one run at a time, the others wait; nobody waits for those who wait for a reader.</para>
/// </remarks>
internal sealed class LogTruncation<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int MarksForEachAge = 8;

    private readonly PagedLog<TProbe> _log;
    private readonly PageFlusher<TProbe> _flusher;
    private readonly DiskSpace? _space; // which is released here; null where commits do
    private readonly AgeMarks _marks;
    private readonly LiveCopier<TProbe> _copier;
    private volatile bool _closing;

    /// <summary>Truncates a log.</summary>
    /// <param name="store">The store.</param>
    /// <param name="log">Its log.</param>
    /// <param name="flusher">What writes the log.</param>
    /// <param name="storage">Where it lies.</param>
    /// <param name="marks">What is known of its age.</param>
    /// <param name="space">The device's space, if it may be released at once; else null.</param>
    /// <param name="schema">Its records, and their merger.</param>
    public LogTruncation(
        FasterStore<TProbe> store, PagedLog<TProbe> log, PageFlusher<TProbe> flusher, LogStorage storage,
        AgeMarks marks, DiskSpace? space, RecordSchema schema)
    {
        (_log, _flusher, _marks, _space) = (log, flusher, marks, space);
        Fate = new RecordFate<TProbe>(storage, merges: schema.Merger is not null);
        Giving = new GivingUp<TProbe>(log, new StepWaits<TProbe>(store.Epochs));
        _copier = new LiveCopier<TProbe>(store, schema, log, storage, Fate, Giving, () => _closing);
        log.BecameSafe = marks.Add;
    }

    /// <inheritdoc cref="GivingUp{TProbe}.Rising"/>
    public SemaphoreSlim Rising => Giving.Rising;

    /// <summary>The order of the steps.</summary>
    public GivingUp<TProbe> Giving { get; }

    /// <summary>What becomes of records that compaction meets.</summary>
    public RecordFate<TProbe> Fate { get; }

    /// <summary>Whether the store is being closed.</summary>
    public bool IsClosing => _closing;

    private SemaphoreSlim Alone { get; } = new(1, 1);

    /// <summary>What this process has compacted.</summary>
    public CompactionFigures Figures { get; } = new();

    /// <summary>Gives up what lies below an address, rounded down to a page's start.</summary>
    public async Task TruncateAsync(long until)
    {
        CheckAddress(until);
        _ = await AloneAsync(async () =>
        {
            await GiveUpAsync(Spared(until)).ConfigureAwait(false);
            return 0;
        }).ConfigureAwait(false);
        await ReleaseAsync().ConfigureAwait(false);
    }

    /// <summary>Gives up what was last changed longer ago than a time.</summary>
    /// <returns>The begin.</returns>
    public async Task<long> TruncateOlderThanAsync(TimeSpan age)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(age, TimeSpan.Zero);
        long begin = await AloneAsync(async () =>
        {
            // What is still updated in place has no age. Who asks regularly makes the marks that he will need.
            DateTime now = _marks.Now;
            if (now - _marks.Newest > age / MarksForEachAge && _log.TailAddress > _log.SafeFrozenAddress)
                await Giving.FreezeAllAsync().ConfigureAwait(false);
            long oldest = age < now - DateTime.MinValue ? _marks.Before(now - age) : 0;
            await GiveUpAsync(Spared(oldest)).ConfigureAwait(false);
            return _log.BeginAddress;
        }).ConfigureAwait(false);
        await ReleaseAsync().ConfigureAwait(false);
        return begin;
    }

    /// <summary>Copies what lives below an address, rounded down to a page's start, to the tail; gives up the rest.
    /// </summary>
    public async Task<CompactionResult> CompactAsync(long until)
    {
        CompactionResult result = await CompactWithoutReleaseAsync(until).ConfigureAwait(false);
        await ReleaseAsync().ConfigureAwait(false);
        return result;
    }

    /// <summary>As <see cref="CompactAsync"/>; the space is given back later.</summary>
    public Task<CompactionResult> CompactWithoutReleaseAsync(long until)
    {
        CheckAddress(until);
        return AloneAsync(async () =>
        {
            long from = _log.BeginAddress, to = Spared(until);
            var tally = new CopyTally();
            if (to > from)
            {
                await Giving.FreezeAsync(to).ConfigureAwait(false);
                tally = await Task.Factory.StartNew(
                    () => _copier.Run(from, to), CancellationToken.None, TaskCreationOptions.LongRunning,
                    TaskScheduler.Default).ConfigureAwait(false);
                await GiveUpAsync(to).ConfigureAwait(false);
            }

            Figures.Count(tally);
            return new CompactionResult
            {
                BeginAddress = _log.BeginAddress,
                RecordsExamined = tally.Examined,
                RecordsCopied = tally.Copied,
                BytesCopied = tally.BytesCopied,
                BytesReclaimed = Math.Max(to - from, 0),
            };
        });
    }

    /// <summary>
    /// Gives back, where no commit may need it, the space of what has been given up; waits for those who read it.
    /// </summary>
    public async Task ReleaseAsync()
    {
        if (_space is null) return;
        long begin = _log.BeginAddress; // from there on it may be pinned, below it no more
        await _log.Pins.Gate.WaitForAsync(() => _closing || _log.Pins.LowestPinned >= begin, CancellationToken.None)
            .ConfigureAwait(false);
        await Alone.WaitAsync().ConfigureAwait(false);
        try
        {
            if (!_closing) await Task.Run(() => _space.Release(begin)).ConfigureAwait(false);
        }
        finally
        {
            Alone.Release();
        }

        _log.Gate.Open(); // who waits for room on the disk looks again
    }

    /// <summary>Lets no run begin any more, stops the one under way, and ends when it has ended.</summary>
    public void Dispose()
    {
        _closing = true;
        _log.Pins.Gate.Open();
        Alone.Wait();
        Alone.Release();
    }

    // Up to where nobody is about to link a record to what lies below.
    private long Spared(long until) => _log.PageStartOf(Math.Min(until, _log.Writes.LowestHeld()));

    private void CheckAddress(long until)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(until);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(until, _log.TailAddress);
    }

    private async Task<T> AloneAsync<T>(Func<Task<T>> run)
    {
        await Alone.WaitAsync().ConfigureAwait(false);
        try
        {
            ClosedStore.ThrowIf(_closing);
            return await run().ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_closing)
        {
            throw new ObjectDisposedException(nameof(FasterStore<TProbe>), "The store was closed meanwhile.");
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
        await Giving.RunAsync(to, FlushedAsync).ConfigureAwait(false);
        _marks.Forget(to);
        Figures.CountReclaimed(to - from);
    }

    private async Task FlushedAsync(long until)
    {
        while (_log.FlushedUntilAddress < until)
        {
            await _log.Gate.WaitForAsync(
                () => _log.FlushedUntilAddress >= until || _flusher.HasFailed, CancellationToken.None)
                .ConfigureAwait(false);
            await _flusher.RetryAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }
}
