using Faster.Epochs;
using Faster.Invariants;

namespace Faster.Log;

/// <summary>
/// The hybrid log (paper 000 §6): records from the read-only marker to the tail are updated in place, records below the
/// safe-read-only marker by a copy at the tail; an update of a record between the two (the fuzzy region) waits.
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="PagedLog"/>:</para>
/// <list type="bullet">
/// <item>SafeReadOnly ≤ ReadOnly: the read-only marker is published first, and the safe-read-only marker follows only
/// when the epoch guarantees that every session that may have read the old value of the former has left its
/// epoch.</item>
/// <item>A copy of a record is made only below the safe-read-only marker.</item>
/// </list>
/// <para>Together they exclude the lost-update anomaly (§6.2). Thread-safe.</para>
/// </remarks>
internal sealed class HybridLog : PagedLog
{
    /// <summary>Creates an empty log.</summary>
    public HybridLog(EpochTable epochs, IPageSink sink, LogShape shape) : base(epochs, sink, shape)
    {
        Markers.ReadOnly = Markers.SafeReadOnly = FirstAddress;
    }

    /// <inheritdoc/>
    protected override void PublishReadOnly(long address) => TryRaise(ref Markers.ReadOnly, address, out _);

    /// <inheritdoc/>
    protected override void PublishSafeReadOnly(long address)
    {
        Invariant.Check(address <= ReadOnlyAddress, $"SafeReadOnly ≤ ReadOnly: {address}, {ReadOnlyAddress}");
        TryRaise(ref Markers.SafeReadOnly, address, out _);
    }
}
