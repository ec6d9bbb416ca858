using Faster.Epochs;

namespace Faster.Log;

/// <summary>
/// The append-only log (paper 000 §5). A record is immutable once it is linked: every update appends a new one, and
/// there is neither a mutable nor a fuzzy region. A page is flushed when the tail has left it.
/// </summary>
internal sealed class AppendOnlyLog : PagedLog
{
    /// <summary>Creates an empty log.</summary>
    public AppendOnlyLog(EpochTable epochs, IPageSink sink, LogShape shape)
        : base(epochs, sink, shape with { MutableFraction = 0 })
    {
        Markers.ReadOnly = Markers.SafeReadOnly = long.MaxValue;
    }

    /// <inheritdoc/>
    protected override void PublishReadOnly(long address) { }

    /// <inheritdoc/>
    protected override void PublishSafeReadOnly(long address) { }
}
