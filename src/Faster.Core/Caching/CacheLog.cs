using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Caching;

/// <summary>
/// The read cache's own circular log, in memory only (paper 000, App. D): it evicts where another log would flush.
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="PagedLog{TProbe}"/>, with the evictor in place of the sink:</para>
/// <list type="bullet">
/// <item>A page becomes read-only when two pages of the window are left, and safe when the epoch guarantees that all
/// threads that allocated space in it have filled it.</item>
/// <item>A page counts as flushed when no chain leads to it any more; then its frame is closed like any other.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class CacheLog<TProbe> : PagedLog<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Creates an empty log with the smallest window.</summary>
    public CacheLog(EpochTable<TProbe> epochs, LogShape shape)
        : base(epochs, NoSink.Instance, shape with { MutableFraction = 1 }) => SetMemory(0);

    /// <summary>The number of the page that contains the tail.</summary>
    public long TailPage => TailAddress >> PageBits;

    /// <summary>Whether the address space is used up, so that no more pages can be opened.</summary>
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
