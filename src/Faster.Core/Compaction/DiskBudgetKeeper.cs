using Faster.Contracts;
using Faster.Devices;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// Keeps the log within <see cref="StoreOptions.DiskBudget"/>: compacts its oldest part, a step at a time, when it has
/// come to seven eighths of the budget, and sees to it that the space is given back.
/// </summary>
/// <remarks>
/// <para>A step is a sixteenth of the budget. After it a store with a folder commits until no commit that is kept needs
/// what was given up: twice. From the beginning on writers are held back when the budget is used up (<see
/// cref="TailThrottle"/>), so that they do not outrun compaction, nor this task while it has no thread.</para>
/// <para><b>No death spiral.</b> Steps go on until the log is below the mark again, or everything that was in it when
/// they began has been gone through. If that has given less than a quarter back, the live data do not fit: it is
/// reported, nobody is held back any more, and the next pass waits until the log has grown by an eighth. So at most
/// about nine bytes are copied for each that is written, whatever the budget.</para>
/// <para><b>Values in chunks.</b> What is being written is not given up, and what is being read stays on the device.
/// While a step can give nothing up for a writer, nobody is held back and it is tried again; a reader is waited for,
/// since to compact more would only copy more, and is reported when that takes as long as
/// <see cref="ChunkWrites.Patience"/>.</para>
/// <para>One task; what fails is reported and tried again, but for a failed sync, which ends it.</para>
/// </remarks>
internal sealed class DiskBudgetKeeper<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int Steps = 16, GrowthToRetry = 8, LeastGain = 4;

    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(200);

    private readonly FasterStore<TProbe> _store;
    private readonly PagedLog<TProbe> _log;
    private readonly LogTruncation<TProbe> _truncation;
    private readonly DiskSpace _space;
    private readonly Func<Task>? _commit; // until the space is free; null where it is at once
    private readonly Func<Task> _release;
    private readonly TailThrottle _throttle;
    private readonly CancellationTokenSource _stop = new();
    private readonly long _budget;
    private readonly long _step; // in addresses
    private Task _loop = Task.CompletedTask;
    private long _trigger;
    private long _passEnd;
    private long _reclaimed, _copied; // in this pass
    private volatile bool _isExceeded;

    /// <summary>A keeper that does not run yet.</summary>
    /// <param name="store">The store.</param>
    /// <param name="log">Its log.</param>
    /// <param name="truncation">What compacts it.</param>
    /// <param name="space">The device's space.</param>
    /// <param name="commit">Commits until the space that was given up is free; null where nothing commits.</param>
    /// <param name="release">Gives the space back that is free.</param>
    public DiskBudgetKeeper(
        FasterStore<TProbe> store, PagedLog<TProbe> log, LogTruncation<TProbe> truncation, DiskSpace space,
        Func<Task>? commit, Func<Task> release)
    {
        (_store, _log, _truncation, _space) = (store, log, truncation, space);
        (_commit, _release) = (commit, release);
        _budget = store.Options.DiskBudget.Bytes;
        BlockGeometry geometry = store.Storage!.Geometry;
        _step = Math.Max(_budget / Steps / geometry.PageStride, 1) << geometry.PageBits;
        _trigger = HighMark;
        _throttle = new TailThrottle(
            () => space.PageAt(_budget), () => _isExceeded || store.Commits.WaitsForSessions, log.Gate, log.PageSize);
        log.Throttle = _throttle;
    }

    /// <summary>Whether the live data were found not to fit into the budget.</summary>
    public bool IsExceeded => _isExceeded;

    private long HighMark => _budget / 8 * 7;

    // Somebody else has given room back while the next pass was put off.
    private bool FitsAgain => _trigger > HighMark && Bytes < HighMark;

    /// <summary>What the log takes, or will take once it is flushed.</summary>
    private long Bytes => _space.BytesUpTo(_log.TailAddress);

    /// <summary>Begins.</summary>
    public void Start()
    {
        _throttle.Engage(); // writers may be at the budget before this task has a thread
        _loop = Task.Run(RunAsync);
    }

    /// <summary>Ends; a compaction under way must have been told to stop.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _throttle.Dispose();
        _loop.Wait();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await _log.Gate.WaitForAsync(() => Bytes >= _trigger || FitsAgain, _stop.Token)
                    .ConfigureAwait(false);
                if (FitsAgain) EndPass(fits: true);
                else await StepAsync().ConfigureAwait(false);
                _log.Gate.Open(); // the budget may have room for a while, or hold nobody back any more
                continue;
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (Exception e)
            {
                _throttle.Disengage();
                _store.OnFault(e);
                if (e is StorageException { MayRetry: false } && _commit is not null) return;
            }

            await RetryLaterAsync().ConfigureAwait(false);
        }
    }

    private Task RetryLaterAsync() => Task.Delay(RetryDelay, _stop.Token)
        .ContinueWith(static _ => { }, TaskScheduler.Default);

    private async Task StepAsync()
    {
        long from = _log.BeginAddress;
        long until = _log.PageStartOf(Math.Min(from + _step, _log.HeadAddress));
        if (until <= from)
        {
            _throttle.Disengage();
            if (Bytes < HighMark) EndPass(fits: true); // it has just been truncated
            else WaitForGrowth(); // all of it is in memory
            return;
        }

        if (_passEnd == 0) _passEnd = _log.TailAddress;
        _throttle.Engage();
        CompactionResult result = await _truncation.CompactWithoutReleaseAsync(until).ConfigureAwait(false);
        if (result.BytesReclaimed == 0)
        {
            _throttle.Disengage(); // it would slow the writer down that all wait for
            await RetryLaterAsync().ConfigureAwait(false);
            return;
        }

        if (_commit is not null) await PatientlyAsync(_commit()).ConfigureAwait(false);
        long begin = _log.BeginAddress;
        await PatientlyAsync(_log.Pins.Gate.WaitForAsync(() => _log.Pins.LowestPinned >= begin, _stop.Token))
            .ConfigureAwait(false);
        await _release().ConfigureAwait(false);
        _reclaimed += result.BytesReclaimed;
        _copied += result.BytesCopied;
        if (Bytes < HighMark) EndPass(fits: true);
        else if (result.BeginAddress >= _passEnd || _log.HeadAddress <= result.BeginAddress)
            EndPass(fits: _reclaimed - _copied >= _reclaimed / LeastGain);
    }

    // Waits for what a reader of a value in chunks may hold up, and tells of one who stands still.
    private async Task PatientlyAsync(Task task)
    {
        try
        {
            await task.WaitAsync(ChunkWrites.Patience, _store.Options.TimeProvider, _stop.Token).ConfigureAwait(false);
        }
        catch (TimeoutException) when (_log.Pins.LowestPinned < _log.BeginAddress)
        {
            _isExceeded = true;
            _log.Gate.Open();
            _store.OnFault(new LimitExceededException(
                $"StoreOptions.DiskBudget of {_store.Options.DiskBudget} can't be kept: a value larger than a page has "
                + $"been read or scanned for more than {ChunkWrites.Patience.TotalSeconds:0} s, and nothing of the log "
                + $"from address {_log.Pins.LowestPinned:N0} on is given back until that ends. See to who reads a "
                + "value into a pipe that nobody empties, or has left a scan open."));
            await task.ConfigureAwait(false);
            _isExceeded = false;
        }
        catch (TimeoutException)
        {
            await task.ConfigureAwait(false); // it takes its time for another reason
        }
    }

    private void EndPass(bool fits)
    {
        (_passEnd, _reclaimed, _copied) = (0, 0, 0);
        _trigger = HighMark;
        if (!fits)
        {
            WaitForGrowth();
            if (!_isExceeded)
            {
                _store.OnFault(new LimitExceededException(
                    $"The live data do not fit into StoreOptions.DiskBudget of {_store.Options.DiskBudget}: the log "
                    + $"takes {new ByteSize(Bytes)} after it has been compacted. It goes on growing as it must; raise "
                    + "the budget, or delete what is not needed."));
            }
        }

        _isExceeded = !fits;
    }

    private void WaitForGrowth()
    {
        long bytes = Bytes;
        _trigger = bytes + (Math.Max(bytes, _budget) / GrowthToRetry);
    }
}
