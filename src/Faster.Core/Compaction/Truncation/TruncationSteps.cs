using Faster.Invariants;
using Faster.Log;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Compaction.Truncation;

/// <summary>
/// The order of the steps that truncate the oldest part of the log, after its live records have been copied or are not
/// wanted (paper 000, App. C; docs/internals/truncation.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>What is truncated is immutable, on the device, out of memory, and below the floor of large values before Begin
/// rises.</item>
/// <item>Begin rises to a page's start, and only while <see cref="Rising"/> is held: not during a commit.</item>
/// <item>An epoch passes before Begin rises, so that all operations find the copies, and after, so that none still
/// reads below it.</item>
/// </list>
/// <para>Tests run these steps beside operations and commits under a controlled scheduler, so the steps wait only
/// through <see cref="IStepWaits"/>. One run at a time; outside every epoch.</para>
/// </remarks>
/// <param name="log">The log.</param>
/// <param name="waits">How a step waits.</param>
internal sealed class TruncationSteps(PagedLog log, IStepWaits waits)
{
    /// <summary>Held while Begin rises, and by a commit while operations of its version are under way.</summary>
    public SemaphoreSlim Rising { get; } = new(1, 1);

    /// <summary>Makes everything below the start of a page immutable.</summary>
    public Task ShiftReadOnlyAsync(long until)
    {
        log.ShiftReadOnly(until);
        return ImmutableAsync(until);
    }

    /// <summary>Makes the whole log immutable, up to a tail that is padded first.</summary>
    public Task ShiftReadOnlyToTailAsync() => ImmutableAsync(log.ShiftReadOnlyToTail());

    /// <summary>
    /// Makes the page of a record immutable before its fragments are copied: the record might be deleted in place,
    /// which the insert of its copy would not notice.
    /// </summary>
    public Task ShiftReadOnlyPastAsync(long address)
    {
        if (Probe.On && Probe.Has(SeededBug.StraddlerNotImmutable)) return Task.CompletedTask;
        long pageEnd = log.PageEndOf(address);
        return pageEnd <= log.TailAddress ? ShiftReadOnlyAsync(pageEnd) : ShiftReadOnlyToTailAsync();
    }

    /// <summary>
    /// Makes sure that every record linked from now on has its fragments above an address, and that every record linked
    /// earlier is found.
    /// </summary>
    public Task RaiseFloorAsync(long until)
    {
        log.Writes.RaiseFloor(until);
        return waits.SafeAsync();
    }

    /// <summary>Truncates the log below the start of a page: that part leaves memory, and chains end there.</summary>
    /// <param name="to">The start of the page.</param>
    /// <param name="flushed">Waits until everything below an address is on the device.</param>
    public async Task RunAsync(long to, Func<long, Task> flushed)
    {
        await ShiftReadOnlyAsync(to).Here();
        await flushed(to).Here();
        log.Evict(to);
        log.Writes.RaiseFloor(to);

        // Every operation that searches from now on finds the copies.
        if (!(Probe.On && Probe.Has(SeededBug.BeginWithoutEpoch))) await waits.SafeAsync().Here();
        await waits.EnterAsync(Rising).Here();
        Invariant.Check(
            log.PageStartOf(to) == to && to <= log.FlushedUntilAddress && to <= log.HeadAddress
                && to <= log.Writes.Floor,
            $"what is truncated to {to} has left memory; floor {log.Writes.Floor}, {log}");
        log.RaiseBegin(to);
        Rising.Release();
        await waits.SafeAsync().Here();
    }

    private Task ImmutableAsync(long until) => waits.UntilAsync(log.Gate, () => log.SafeImmutableAddress >= until);
}
