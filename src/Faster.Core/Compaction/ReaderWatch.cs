using Faster.Log;
using Faster.Log.Large;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Compaction;

/// <summary>
/// Waits for a compactor's next step, and reports readers that keep the files of its log above the disk budget for
/// long: scans, and readers of values in fragments.
/// </summary>
/// <remarks>
/// <para>What only readers hold does not count in the budget (<see cref="DiskSpace.NeededUpTo"/>), as no compaction
/// frees it: so compaction and its throttle go on as they would without them, and the files take the budget and what
/// the log has grown by since the oldest reader began.</para>
/// <para>One task waits; the rest is thread-safe.</para>
/// </remarks>
/// <param name="tier">The tier with the log.</param>
/// <param name="space">The log's space.</param>
/// <param name="budget">The bytes that the log may take; <see cref="long.MaxValue"/> where there is no budget.</param>
/// <param name="option">The option that the budget comes from, for messages.</param>
internal sealed class ReaderWatch(Tier tier, DiskSpace space, long budget, string option)
{
    private readonly PagedLog _log = tier.PagedLog!;
    private readonly TimeProvider _time = tier.Core.Options.TimeProvider;
    private long? _since;
    private bool _isReported;

    /// <summary>Whether the files take more than the budget because of readers.</summary>
    public bool IsExceeded =>
        space.BytesUpTo(_log.TailAddress) > budget && _log.Pins.LowestPinned < _log.BeginAddress;

    /// <summary>Waits until a condition holds, of which the log's gate tells.</summary>
    /// <param name="condition">Evaluated under the gate's lock: it must only read.</param>
    /// <param name="ct">Cancels the waiting.</param>
    public async Task WaitForAsync(Func<bool> condition, CancellationToken ct)
    {
        for (;;)
        {
            bool isExceeded = IsExceeded;
            if (isExceeded) _since ??= _time.GetTimestamp();
            else (_since, _isReported) = (null, false);
            Task change = _log.Gate.WaitForAsync(() => condition() || IsExceeded != isExceeded, ct);
            try
            {
                await (isExceeded && !_isReported ? change.OrTimeout(Left(), _time, ct) : change).Here();
                if (condition()) return;
            }
            catch (TimeoutException)
            {
                _isReported = true;
                Report();
            }
        }
    }

    private TimeSpan Left()
    {
        TimeSpan left = FragmentWrites.StallTimeout - _time.GetElapsedTime(_since!.Value);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private void Report() => tier.Core.OnFault(new LimitExceededException(
        $"{option} of {new ByteSize(budget)} can't be kept: a value larger than a page has been read, or the store has "
        + $"been scanned, for more than {FragmentWrites.StallTimeout.TotalSeconds:0} s, and nothing of the log from "
        + $"address {_log.Pins.LowestPinned:N0} on is given back until that ends. The log takes "
        + $"{new ByteSize(space.BytesUpTo(_log.TailAddress))} now, and grows by what is written meanwhile. Find the "
        + "code that reads a value into a pipe without a consumer, or has left a scan open."));
}
