using Faster.Compaction.Truncation;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Large;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Compaction;

/// <summary>
/// Keeps the log within <see cref="LogStoreOptions.DiskBudget"/>: when the log reaches seven eighths of the budget,
/// compacts its oldest part step by step, and makes sure that the disk space is released.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A step compacts whole pages below the head.</item>
/// <item>No writer is throttled while it is known that no space can be reclaimed.</item>
/// <item>A pass ends, whatever the live data: at the latest when all that was in the log when it began has been
/// compacted. It goes no further (<see cref="CompactionPass"/>).</item>
/// </list>
/// <para>A step goes through at most a quarter of the budget, and ends when its copies take a sixteenth. After each
/// step, a store with a folder commits until no kept commit needs what was truncated: twice. From the start, writers
/// are throttled when the budget is used up (<see cref="TailThrottle"/>), so that they do not outrun compaction, even
/// while this task has no thread.</para>
/// <para><b>No death spiral.</b> Steps go on until the log is below the mark again, or until everything that was in it
/// when they began has been compacted. If that has reclaimed less than a quarter, the live data do not fit: this is
/// reported, no writer is throttled any more, and the next pass waits until the log has grown by an eighth. So at most
/// about nine bytes are copied for each byte that is written, whatever the budget.</para>
/// <para><b>Deltas.</b> Where updates merge, they append deltas without a read only while the log is below half of the
/// budget: each delta on disk costs compaction the read that the update has saved, and writers wait for compaction
/// (docs/internals/merging.md).</para>
/// <para><b>Readers.</b> What only a scan, or the reader of a value in fragments, holds of the log does not count
/// (<see cref="ReaderWatch"/>). So steps are made when they would be made without readers, and copy no more;
/// what they truncate is released when the readers have ended. No writer waits for a reader. It is reported when the
/// files have been above the budget for as long as <see cref="FragmentWrites.StallTimeout"/>.</para>
/// <para><b>Values in fragments.</b> A value that is being written is not truncated. While its writer prevents a step
/// from truncating anything, no writer is throttled, and the step is tried again.</para>
/// <para>While steps fail, no writer is throttled.</para>
/// </remarks>
internal sealed class DiskBudgetCompactor : Compactor
{
    private const int Steps = 4, CopiesPart = 16, GrowthToRetry = 8, DeltasPart = 2, LeastPart = 32;

    private static readonly Task<long> s_none = Task.FromResult(0L);

    private readonly StoreCore _core;
    private readonly PagedLog _log;
    private readonly LogTruncation _truncation;
    private readonly DiskSpace _space;
    private readonly TailThrottle _throttle;
    private readonly ReaderWatch _readers;
    private readonly long _budget;
    private readonly string _option;
    private readonly BlockGeometry _geometry;
    private readonly long _step, _stepCopies; // in addresses
    private readonly CompactionPass _pass;
    private long _trigger;
    private long _limit; // of the tier above; more than the budget while the data do not fit
    private volatile bool _isExceeded;

    /// <summary>Makes a compactor that does not run yet.</summary>
    /// <param name="tier">The tier whose log it compacts.</param>
    /// <param name="truncation">Compacts and truncates the log.</param>
    /// <param name="space">The device's space.</param>
    /// <param name="budget">The disk space that the log may take.</param>
    /// <param name="option">The option that the budget comes from, for messages.</param>
    /// <param name="minGain">A pass pays that frees one of so many bytes.</param>
    public DiskBudgetCompactor(
        Tier tier, LogTruncation truncation, DiskSpace space, ByteSize budget, string option, int minGain = 4)
        : base(tier.PagedLog!.Gate, tier.Core.OnFault)
    {
        (_core, _log, _truncation, _space) = (tier.Core, tier.PagedLog, truncation, space);
        (_budget, _option) = (budget.Bytes, option);
        _readers = new ReaderWatch(tier, space, _budget, option);
        _geometry = tier.Storage!.Geometry;
        (_step, _stepCopies) = (AddressesIn(_budget / Steps), AddressesIn(_budget / CopiesPart));
        _pass = new CompactionPass(_geometry.PageBits, minGain);
        (_trigger, _limit) = (HighMark, _budget);
        _throttle = new TailThrottle(
            () => space.PageAt(_budget), () => _isExceeded || _core.Commits.WaitsForSessions, _log.Gate, _log.PageSize);
        _log.Throttle = _throttle;
        tier.Merges.Limit = () => Bytes >= _budget / DeltasPart;
    }

    /// <summary>
    /// Whether the live data were found not to fit the budget, or the log takes more because nothing can be compacted
    /// or readers hold it.
    /// </summary>
    public override bool IsExceeded => _isExceeded || (Fails && Bytes > _budget) || _readers.IsExceeded;

    private long HighMark => _budget / 8 * 7;

    // A step of this compactor may copy beside the tier above.
    private long Left => Volatile.Read(ref _limit) - (_budget / CopiesPart) - Bytes;

    // Otherwise a step is due, or under way.
    private bool MayAdd => Left >= _budget / LeastPart || Bytes < Volatile.Read(ref _trigger) || Fails;

    // Something else has reclaimed space while the next pass was postponed.
    private bool FitsAgain => _trigger > HighMark && Bytes < HighMark;

    /// <summary>
    /// The disk space that the log takes, or will take once it is flushed and its readers have ended.
    /// </summary>
    private long Bytes => _space.NeededUpTo(_log.TailAddress);

    /// <summary>
    /// Waits until the tier above may move records to this one: until there is space, or this compactor can make none.
    /// </summary>
    /// <param name="ct">Cancels the waiting.</param>
    /// <returns>How many bytes of copies the tier above may add; at most a page more.</returns>
    public async Task<long> WaitForSpaceAsync(CancellationToken ct)
    {
        if (!MayAdd) _log.Gate.Signal(); // this compactor may not have seen the last copies
        await _log.Gate.WaitForAsync(() => MayAdd, ct).Here();
        return Left >= _budget / LeastPart ? AddressesIn(Left) : long.MaxValue;
    }

    /// <inheritdoc/>
    public override void Start()
    {
        _throttle.Engage(); // writers may be at the budget before this task has a thread
        base.Start();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        Stop();
        _throttle.Dispose();
        base.Dispose();
    }

    /// <inheritdoc/>
    protected override Task WaitAsync() => _readers.WaitForAsync(() => Bytes >= _trigger || FitsAgain, Stopped);

    /// <inheritdoc/>
    protected override Task<long> ChooseAsync()
    {
        long from = _log.BeginAddress, until = _pass.StepEnd(Math.Min(from + _step, _log.HeadAddress));
        if (FitsAgain)
        {
            EndPass(fits: true);
            return s_none;
        }

        if (_pass.IsOver(from))
        {
            // Something else has truncated the rest, or the last step has failed after it had truncated it.
            EndPass(Bytes < HighMark || _pass.Pays);
            return s_none;
        }

        if (until <= from)
        {
            _throttle.Disengage();
            if (Bytes < HighMark) EndPass(fits: true); // the log has just been truncated
            else WaitForGrowth(); // the whole log is in memory
            return s_none;
        }

        _pass.Begin(_log.TailAddress);
        Invariant.Check(
            until <= _log.HeadAddress && until == _pass.StepEnd(until) && _pass.Reclaimed >= 0 && _pass.Copied >= 0,
            $"a step to {until} ends below the head and the pass's end; {_pass.Reclaimed} bytes reclaimed, "
                + $"{_pass.Copied} copied; {_log}");
        return Task.FromResult(until);
    }

    /// <inheritdoc/>
    protected override async Task<long> StepAsync(long until)
    {
        _throttle.Engage();
        CompactionResult result = await _truncation.CompactStepAsync(until, _stepCopies).Here();
        _pass.Count(result.BytesReclaimed, result.BytesCopied);
        if (result.BytesReclaimed == 0)
            _throttle.Disengage(); // throttling would delay the writer for which all others wait
        return result.BytesReclaimed;
    }

    /// <inheritdoc/>
    protected override Task ReleaseAsync() => _truncation.ReleaseAsync();

    /// <inheritdoc/>
    /// <remarks>
    /// A pass that comes to the memory before its end goes on when the log has grown: what little it may have gone
    /// through says nothing about all of the live data.
    /// </remarks>
    protected override void OnReleased()
    {
        if (Bytes < HighMark) EndPass(fits: true);
        else if (_pass.IsOver(_log.BeginAddress)) EndPass(_pass.Pays);
    }

    /// <inheritdoc/>
    protected override void OnStepEnded()
    {
        if (Fails) _throttle.Disengage();
    }

    private void EndPass(bool fits)
    {
        (ByteSize passed, ByteSize live) = (OnDevice(_pass.Reclaimed), OnDevice(_pass.Copied));
        _pass.End();
        (_trigger, _limit) = (HighMark, _budget);
        if (!fits)
        {
            WaitForGrowth();
            _limit = _trigger + (_trigger - Bytes); // as much again while the next pass is under way
            if (!_isExceeded)
            {
                _core.OnFault(new LimitExceededException(
                    $"The live data do not fit into {_option} of {new ByteSize(_budget)}: the log "
                    + $"takes {new ByteSize(Bytes)} after {passed} of it have been compacted, of which {live} were "
                    + "live. It goes on growing as it must; raise the budget, or delete what is not needed."));
            }
        }

        _isExceeded = !fits;
    }

    // The log's bytes in whole pages that take at most a number of bytes on the device; one page at least.
    private long AddressesIn(long bytes) => Math.Max(bytes / _geometry.PageStride, 1) << _geometry.PageBits;

    private ByteSize OnDevice(long addresses) => new(_geometry.OffsetOfPage(addresses >> _geometry.PageBits));

    private void WaitForGrowth()
    {
        long bytes = Bytes;
        _trigger = bytes + (Math.Max(bytes, _budget) / GrowthToRetry);
    }
}
