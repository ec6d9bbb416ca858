using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Caching;

/// <summary>
/// The read cache's own circular log, in memory only (paper 000, App. D): what would be flushed is evicted.
/// </summary>
/// <remarks>
/// All of <see cref="PagedLog{TProbe}"/> holds, with the evictor in the sink's place: a page is <em>frozen</em> when
/// two pages of the window are left, <em>safe</em> when the epoch says that all who took room in it have filled it, and
/// counts as flushed when no chain leads to it any more; then its frame is closed as any other.
/// </remarks>
internal sealed class CacheLog<TProbe> : PagedLog<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Makes an empty log with a window of the least size.</summary>
    public CacheLog(EpochTable<TProbe> epochs, LogShape shape)
        : base(epochs, NoSink.Instance, shape with { MutableFraction = 1 }) => SetMemory(0);

    /// <summary>The page that the tail is in.</summary>
    public long TailPage => TailAddress >> PageBits;

    /// <summary>Whether the address space is used up, so that no page can be opened.</summary>
    public bool IsExhausted =>
        TailPage + 2 >= Math.Min(LogTail<TProbe>.PageLimit, 1L << (RecordHeader.AddressBits - PageBits));

    /// <inheritdoc/>
    protected override void PublishReadOnly(long address) { }

    /// <inheritdoc/>
    protected override void PublishSafeReadOnly(long address) { }

    private sealed class NoSink : IPageSink
    {
        public static readonly NoSink Instance = new();

        public int SectorSize => RecordHeader.Size;

        public bool HasFailed => false;

        public void Wake() { }

        public void ThrowIfFailedAgain() { }
    }
}
