using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Compaction.Merging;

/// <summary>Parts deltas, which do not move to another tier, from whole records and tombstones, which do.</summary>
/// <param name="deltas">The stage that takes deltas.</param>
/// <param name="others">The stage that takes all else.</param>
internal sealed class DeltaFork(ICopyStage deltas, ICopyStage others) : ICopyStage
{
    /// <inheritdoc/>
    public PutOffRecords PutOff => others.PutOff;

    /// <inheritdoc/>
    public void Prefetch(ulong hash) => others.Prefetch(hash);

    /// <inheritdoc/>
    public void Take(in PageRecord record, bool mayPutOff)
    {
        bool isDelta = (record.Header & RecordHeader.Delta) != 0 && !(Probe.On && Probe.Has(SeededBug.DeltaMoves));
        (isDelta ? deltas : others).Take(record, mayPutOff);
    }

    /// <inheritdoc/>
    public void Settle()
    {
        deltas.Settle();
        others.Settle();
    }

    /// <inheritdoc/>
    public void LookUp(PageCopy page, bool all) => others.LookUp(page, all);
}
