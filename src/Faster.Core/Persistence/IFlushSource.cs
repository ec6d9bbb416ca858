namespace Faster.Persistence;

/// <summary>
/// A part of a program that stores into a region and lets a fence ask what there is to flush, instead of saying so at
/// each store: so parts that append do not meet at a lock.
/// </summary>
internal interface IFlushSource
{
    /// <summary>
    /// Adds what was stored before the call and not collected by an earlier fence. Called by one fence at a time; the
    /// fence before has succeeded.
    /// </summary>
    /// <param name="ranges">Ranges inside the region.</param>
    void Collect(List<FlushedRange> ranges);

    /// <summary>Called when the fence that has collected last has succeeded, before anything is acknowledged.</summary>
    void OnFenced();
}
