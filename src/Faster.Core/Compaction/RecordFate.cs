using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// The one place that decides what becomes of a record when compaction meets it, as far as the record itself tells, and
/// what its copy keeps.
/// </summary>
/// <remarks>
/// A record that is worth a copy by this may still have been superseded: the conditional insert finds out.
/// Thread-safe: it only reads.
/// </remarks>
internal readonly struct RecordFate<TProbe>(LogStorage storage, bool merges)
    where TProbe : struct, IProbe
{
    private const ulong Kept = RecordHeader.Large;

    /// <summary>Whether a record may have to be copied.</summary>
    /// <param name="address">Its address.</param>
    /// <param name="header">Its header.</param>
    /// <exception cref="FasterException">It holds a partial value, and the store has no merger.</exception>
    public bool MayLive(long address, ulong header)
    {
        // Nothing older will remain for a tombstone to hide, and a merge record tells nothing of any key.
        if ((header & (RecordHeader.Tombstone | RecordHeader.Merge)) != 0) return false;
        if (storage.IsAbandoned(address, header)) return false;

        // Its mark may only say that another part has been linked in front of it.
        if ((header & RecordHeader.Delta) != 0) return merges ? true : throw PartialValues.NoMerger(address);

        // The mark of an earlier process may be there while what superseded the record is not: a crash took it.
        bool believed = address >= storage.OwnFrom || TProbe.Has(SeededBug.TrustForeignMarks);
        return (header & RecordHeader.Sealed) == 0 || !believed;
    }

    /// <summary>The flags of a record's copy: what says how to read its value.</summary>
    public static ulong FlagsOf(ulong header) => header & Kept;
}
