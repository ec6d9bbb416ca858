using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Log;

/// <summary>
/// The hybrid log (paper 000 §6): records between the read-only marker and the tail are updated in place, those below
/// by a copy at the tail; what lies between safe-read-only and read-only (the fuzzy region) waits.
/// </summary>
/// <remarks>
/// The lost-update anomaly (§6.2) is kept out by the order of two things: the read-only marker is published first, and
/// the safe-read-only marker follows only when the epoch says that everybody who may still hold the old value of the
/// first has left. A copy is made only below the second.
/// </remarks>
internal sealed class HybridLog<TProbe> : PagedLog<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Makes an empty log.</summary>
    public HybridLog(EpochTable<TProbe> epochs, IPageSink sink, LogShape shape) : base(epochs, sink, shape)
    {
        Markers.ReadOnly = Markers.SafeReadOnly = FirstAddress;
    }

    /// <inheritdoc/>
    protected override void PublishReadOnly(long address) => TryRaise(ref Markers.ReadOnly, address, out _);

    /// <inheritdoc/>
    protected override void PublishSafeReadOnly(long address) => TryRaise(ref Markers.SafeReadOnly, address, out _);
}
