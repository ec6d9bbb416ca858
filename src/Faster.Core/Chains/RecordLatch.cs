using System.Runtime.CompilerServices;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Chains;

/// <summary>How the latch of a record, a bit of its header, is taken and released. Thread-safe.</summary>
/// <remarks>
/// The flags of an unlatched header are changed by compare-and-swap only; the owner of the latch writes them by a plain
/// write when it releases the latch. It writes no other bits, except for the version if it has updated the record: an
/// update without a latch may have stamped the record meanwhile (docs/internals/concurrent-updates.md). No thread waits
/// for a latch inside an epoch: after a few spins the attempt ends, and the operation tries again.
/// </remarks>
internal static unsafe class RecordLatch
{
    private const int Spins = 64;

    /// <summary>Takes a record's latch, with a few spins if it is held.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header without the latch.</param>
    /// <returns>False when another thread keeps it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryTake(byte* record, out ulong header)
    {
        ulong seen = RecordHeader.Read(record);
        Probe.Point(ProbePoint.RecordLatch);
        header = seen;
        if (Probe.On && Probe.Has(SeededBug.UpdateWithoutLatch)) return true;
        if ((seen & RecordHeader.Latch) != 0 || !RecordHeader.TryReplace(record, seen, seen | RecordHeader.Latch))
        {
            // A separate local lets the hit path's header stay in a register.
            if (!TryTakeSlowly(record, out ulong later)) return false;
            header = later;
        }

        return true;
    }

    /// <summary>Takes a record's latch if its header has not changed.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">The header that was read.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryTakeUnchanged(byte* record, ulong header)
    {
        Probe.Point(ProbePoint.RecordLatch);
        return (Probe.On && Probe.Has(SeededBug.UpdateWithoutLatch))
            || RecordHeader.TryReplace(record, header, header | RecordHeader.Latch);
    }

    /// <summary>Releases the latch of a record that was not updated.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">A header with the flags that it gets.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Release(byte* record, ulong header)
    {
        Probe.Point(ProbePoint.RecordLatch);
        if (Probe.On && Probe.Has(SeededBug.UpdateWithoutLatch)) return;
        if (Probe.On && Probe.Has(SeededBug.LatchRestoresVersion)) RecordHeader.Write(record, header);
        else RecordHeader.WriteFlags(record, header);
    }

    /// <summary>Releases the latch of a record that was updated.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">A header with the flags and the version that it gets.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void ReleaseStamped(byte* record, ulong header)
    {
        Probe.Point(ProbePoint.RecordLatch);
        if (!(Probe.On && Probe.Has(SeededBug.UpdateWithoutLatch))) RecordHeader.WriteStamped(record, header);
    }

    /// <summary>Spins at most 64 times for a record's latch.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header without the latch.</param>
    /// <returns>False when other threads kept it all the time.</returns>
    public static bool TryTakeSlowly(byte* record, out ulong header)
    {
        for (int spin = 0; spin < Spins; spin++)
        {
            Probe.Point(ProbePoint.Wait);
            header = RecordHeader.Read(record);
            if ((header & RecordHeader.Latch) == 0
                && RecordHeader.TryReplace(record, header, header | RecordHeader.Latch)) return true;
            Thread.SpinWait(8);
        }

        header = 0;
        return false;
    }
}
