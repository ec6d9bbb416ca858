using Faster.Compaction.Lookups;
using Faster.Log.Reads;

namespace Faster.Compaction.Copying;

/// <summary>
/// A stage on the way of records from the part that is compacted to their copies: it takes records, and passes on to
/// the next stage those that must still be copied (docs/internals/compaction.md).
/// </summary>
/// <remarks>Not thread-safe: it belongs to one <see cref="CopyThread"/>. Used outside every epoch.</remarks>
internal interface ICopyStage
{
    /// <summary>The records that the stage has put off.</summary>
    PutOffRecords PutOff => default;

    /// <summary>Prefetches what the stage reads first of a key.</summary>
    void Prefetch(ulong hash)
    {
    }

    /// <summary>
    /// Takes a record, and passes it on at once, or when the stage is settled, unless it has found it superseded.
    /// </summary>
    /// <param name="record">The record, whose bytes stay until the stage has been settled.</param>
    /// <param name="mayPutOff">Whether a look-up that would wait for the disk may be put off.</param>
    void Take(in PageRecord record, bool mayPutOff);

    /// <summary>
    /// Completes what is pending of the records that were taken. Those that were put off are found again by address.
    /// </summary>
    /// <exception cref="FasterException">A log could not be read or written.</exception>
    void Settle()
    {
    }

    /// <summary>
    /// Makes the look-ups that were put off, if memory for more of them is short, or none may be left.
    /// </summary>
    /// <param name="page">The memory of a page. No record in it may be pending.</param>
    /// <param name="all">Whether none may be left.</param>
    void LookUp(PageCopy page, bool all)
    {
    }
}
