using Faster.Contracts;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Has the system back the space of the next records with memory before operations append there: an operation that
/// meets a page of the system for the first time waits as long as hundreds of appends take.
/// </summary>
/// <remarks>Thread-safe, beside operations: it changes no byte, and no marker.</remarks>
internal static class TailPopulation<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Populates addresses from the tail's part on, as far as frames are free and may be used.</summary>
    /// <param name="log">The log.</param>
    /// <param name="from">Below this address it was done before.</param>
    /// <param name="bytes">How far beyond the tail.</param>
    /// <param name="rest">Called after each part.</param>
    /// <returns>The address up to which it is done.</returns>
    public static long Run(PagedLog<TProbe> log, long from, long bytes, Action rest)
    {
        long part = Math.Min(log.PageSize, NativeBlock.HugePage), tail = log.TailAddress;
        long at = Math.Max(from, tail & -part);
        for (; at < tail + bytes; at += part)
        {
            long page = at >> log.PageBits;
            if (page != tail >> log.PageBits && !log.CanOpen(page)) break;
            log.Frames.Populate(at, part);
            rest();
        }

        return at;
    }
}
