using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>Taking a record's latch while others want it: a few spins within the epoch, and no more.</summary>
internal static unsafe class RecordLatch<TProbe>
    where TProbe : struct, IProbe
{
    private const int Spins = 64;

    /// <summary>Tries for a while.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header without the latch.</param>
    /// <returns>False when somebody holds on to it.</returns>
    public static bool TryTakeSlowly(byte* record, out ulong header)
    {
        for (int spin = 0; spin < Spins; spin++)
        {
            TProbe.Point(ProbePoint.Wait);
            header = RecordHeader.Read(record);
            if ((header & RecordHeader.Latch) == 0
                && RecordHeader.TryReplace(record, header, header | RecordHeader.Latch)) return true;
            Thread.SpinWait(8);
        }

        header = 0;
        return false;
    }
}
