using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// Space at the tail that a session has taken for the records of its next blind updates, and which records these may
/// supersede without reading them (docs/internals/quiet-copies.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It is used in the quiet epoch in which it was taken, and in no other: what is left then stays zero, a
/// gap.</item>
/// <item>It lies above every address below <see cref="Below"/>, so that addresses fall along a chain.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a session, under its epoch.</para>
/// </remarks>
internal struct TailSpace(RecordAllocator log)
{
    /// <summary>The most bytes that are taken at once: the space of some 40 small records.</summary>
    public const int MaxBytes = 1024;

    private long _next, _end;
    private int _taken; // bytes that were taken last

    /// <summary>
    /// Below this address a blind update links a new record in front of an entry's without reading that; 0 where this
    /// takes a latch, or the end of a commit's phase.
    /// </summary>
    public long Below { get; private set; }

    /// <summary>Called in each epoch that may be noted as quiet.</summary>
    /// <param name="version">The version that the session works at.</param>
    /// <param name="takesLatch">Whether it needs a bucket's latch to supersede a record, or may not.</param>
    public void Begin(in AttemptVersion version, bool takesLatch)
    {
        long below = version.CopiesOld ? version.KeptFrom(log.SafeReadOnlyAddress) : log.SafeReadOnlyAddress;
        bool isAbove = Probe.On && Probe.Has(SeededBug.LinkAboveSpace);
        if (!isAbove) below = Math.Min(below, log.TailAddress); // all is read-only in some
        bool mayLink = !log.Splices && (!takesLatch || (Probe.On && Probe.Has(SeededBug.LinkIgnoresLatches)));
        Below = mayLink ? Math.Min(below, (long)RecordHeader.AddressMask) : 0;
        if (!(Probe.On && Probe.Has(SeededBug.SpaceOutlivesEpoch))) (_next, _end, _taken) = (0, 0, 0);
    }

    /// <summary>Takes the space of one record: it is zero.</summary>
    /// <param name="size">Its size in bytes, a multiple of 8.</param>
    /// <param name="address">Its address.</param>
    /// <returns>False when the record is larger than what is taken at once, or no page frame is free.</returns>
    public bool TryTake(int size, out long address)
    {
        if (_end - _next < size && !TryExtend(size))
        {
            address = 0;
            return false;
        }

        address = _next;
        _next += size;
        return true;
    }

    // Twice as much as the last time: a session that supersedes little in an epoch leaves little unused.
    private bool TryExtend(int size)
    {
        if (size > MaxBytes) return false;
        int limit = Math.Max(size, Math.Min(MaxBytes, log.LargestRecord / 8)), count = Math.Max(2 * _taken / size, 1);
        _taken = Math.Min(count, limit / size) * size;
        (_next, _end) = (0, 0);
        if (!log.TryAllocate(null, _taken, out long address)) return false;
        (_next, _end) = (address, address + _taken);
        return true;
    }
}
