using Faster.Compaction.Copying;
using Faster.Log;

namespace Faster.Compaction.Batches;

/// <summary>
/// The part of the hot log whose records may have copies in the cold log already, and the address there from which on
/// these copies lie.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>If a record at or above Begin of the hot log has a linked copy, the record, or a fragment of its value, lies
/// below <see cref="Extent.Until"/>, and the copy at or above <see cref="Extent.CopiesFrom"/>.</item>
/// <item>No record at or above Begin has a copy when Begin has reached <see cref="Extent.Until"/>.</item>
/// </list>
/// <para>A part is noted before its first copy is made. One that was not truncated, because its run has failed or the
/// process has ended, is united with the next one. After a recovery the part is the whole hot log.</para>
/// <para>Thread-safe: a short lock.</para>
/// </remarks>
/// <param name="hot">The hot log.</param>
/// <param name="cold">The cold log.</param>
internal sealed class MovedPart(PagedLog hot, PagedLog cold)
{
    private readonly Lock _lock = new();
    private Extent _extent;

    /// <summary>The part now.</summary>
    public Extent Now
    {
        get
        {
            lock (_lock) return _extent;
        }
    }

    /// <summary>Notes that records of the hot log below an address are about to be copied, by the only run.</summary>
    public void Begin(long until)
    {
        long tail = cold.TailAddress;
        lock (_lock)
        {
            bool isOver = _extent.Until <= hot.BeginAddress;
            _extent = new Extent(isOver ? tail : _extent.CopiesFrom, Math.Max(_extent.Until, until));
        }
    }

    /// <summary>Notes that any record of the log may have a copy: it has been recovered.</summary>
    public void NoteRecovered()
    {
        lock (_lock) _extent = new Extent(0, hot.TailAddress);
    }

    /// <summary>A copier that notes each part before another one copies it.</summary>
    public ILiveRecordCopier Noting(ILiveRecordCopier copier) => new NotingCopier(this, copier);

    /// <summary>A part of the hot log, and where copies of its records lie.</summary>
    /// <param name="CopiesFrom">Copies lie at or above this address of the cold log.</param>
    /// <param name="Until">Their records lie below this address of the hot log.</param>
    public readonly record struct Extent(long CopiesFrom, long Until);

    private sealed class NotingCopier(MovedPart part, ILiveRecordCopier copier) : ILiveRecordCopier
    {
        public (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied)
        {
            part.Begin(until);
            return copier.Run(begin, until, maxCopied);
        }
    }
}
