using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Merging;

namespace Faster.Compaction.Merging;

/// <summary>
/// The copy of one record to the tail in a store whose updates merge: unchanged, or merged with all deltas of its key.
/// </summary>
/// <remarks>
/// Refers to the record in the page's copy, which is kept until all copies of its records are complete.
/// </remarks>
internal unsafe struct RecordCollapse(CollapseRun run, long address, ulong header, byte* record)
    : ICollapse
{
    private int _length;

    /// <inheritdoc/>
    /// <remarks>0: not known at compile time, but defined by the store's schema.</remarks>
    public static int ValueSize => 0;

    /// <inheritdoc/>
    public static bool LatchesUpdates => false;

    /// <inheritdoc/>
    public static bool LatchesReads => false;

    /// <inheritdoc/>
    public static bool Merges => true;

    /// <inheritdoc/>
    public readonly bool IsAwaited => false;

    /// <inheritdoc/>
    public readonly long Above => address;

    /// <inheritdoc/>
    public readonly ulong Flags => LivenessFilter.FlagsOf(header);

    /// <inheritdoc/>
    public readonly long Expiry => run.Layout.Expiry(record);

    /// <inheritdoc/>
    public readonly ReadOnlySpan<byte> Value => run.Layout.Value(record);

    /// <inheritdoc/>
    public readonly bool IsDelta => (header & RecordHeader.Delta) != 0;

    /// <inheritdoc/>
    public readonly bool IsLarge => (header & RecordHeader.Large) != 0;

    /// <inheritdoc/>
    public readonly HeldDeltas HeldDeltas => run.HeldDeltas;

    /// <inheritdoc/>
    public long Sealed { readonly get; set; }

    /// <inheritdoc/>
    public int Length
    {
        set => _length = value;
    }

    /// <inheritdoc/>
    public readonly void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
        BackgroundMerge.Run(run.Schema, run.Layout.Key(record), older, newer, merged);

    /// <inheritdoc/>
    public readonly void Capture() { }

    /// <inheritdoc/>
    public readonly void Complete(Status status, Exception? error)
    {
        if (error is not null && Sealed != 0) run.Release(Sealed);
        if (error is null && status == Status.Ok) run.Counters.Count(run.Layout.RecordSize(record, _length));
    }
}
