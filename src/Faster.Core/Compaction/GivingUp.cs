using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// The order of the steps by which the oldest part of the log is given up, after what lives in it has been copied or
/// is not wanted (paper 000, App. C; docs/COMPACTION.md).
/// </summary>
/// <remarks>
/// The controlled scheduler runs these steps beside operations and commits: so they wait only through
/// <see cref="IStepWaits"/>. One run at a time; outside every epoch.
/// </remarks>
/// <param name="log">The log.</param>
/// <param name="waits">How a step waits.</param>
internal sealed class GivingUp<TProbe>(PagedLog<TProbe> log, IStepWaits waits)
    where TProbe : struct, IProbe
{
    /// <summary>
    /// Held while the begin rises, and by a commit as long as operations of its version are under way.
    /// </summary>
    public SemaphoreSlim Rising { get; } = new(1, 1);

    /// <summary>Makes everything below a page's start immutable.</summary>
    public Task FreezeAsync(long until)
    {
        log.Freeze(until);
        return FrozenAsync(until);
    }

    /// <summary>Makes everything immutable, and more: the tail is padded.</summary>
    public Task FreezeAllAsync() => FrozenAsync(log.FreezeToTail());

    /// <summary>
    /// Makes the page of a record immutable whose chunks are to be copied: it might be deleted where it lies, which
    /// the insert of its copy would not see.
    /// </summary>
    public Task FreezePastAsync(long address)
    {
        if (TProbe.Has(SeededBug.StraddlerNotFrozen)) return Task.CompletedTask;
        long pageEnd = log.PageEndOf(address);
        return pageEnd <= log.TailAddress ? FreezeAsync(pageEnd) : FreezeAllAsync();
    }

    /// <summary>
    /// Whoever links a record from now on has its chunks above, and every record that was linked before is found.
    /// </summary>
    public Task RaiseFloorAsync(long until)
    {
        log.Writes.RaiseFloor(until);
        return waits.SafeAsync();
    }

    /// <summary>Gives up what lies below a page's start: it leaves memory, and chains end there.</summary>
    /// <param name="to">The page's start.</param>
    /// <param name="flushed">Waits until everything below an address is on the device.</param>
    public async Task RunAsync(long to, Func<long, Task> flushed)
    {
        await FreezeAsync(to).ConfigureAwait(false);
        await flushed(to).ConfigureAwait(false);
        log.Evict(to);
        log.Writes.RaiseFloor(to);

        // Whoever looks from now on finds the copies.
        if (!TProbe.Has(SeededBug.BeginWithoutEpoch)) await waits.SafeAsync().ConfigureAwait(false);
        await waits.EnterAsync(Rising).ConfigureAwait(false);
        log.RaiseBegin(to);
        Rising.Release();
        await waits.SafeAsync().ConfigureAwait(false);
    }

    private Task FrozenAsync(long until) => waits.UntilAsync(log.Gate, () => log.SafeFrozenAddress >= until);
}
