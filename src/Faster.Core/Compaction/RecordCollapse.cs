using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// The copy of one record to the tail in a store whose updates merge: as it is, or with all partial values of its key.
/// </summary>
/// <remarks>
/// Refers to the record in the page that is compacted, which is kept until all of its copies are done.
/// </remarks>
internal unsafe struct RecordCollapse<TProbe>(CollapseRun<TProbe> run, long address, ulong header, byte* record)
    : ICollapse<TProbe>
    where TProbe : struct, IProbe
{
    private int _length;

    /// <inheritdoc/>
    /// <remarks>Not known at compile time: the store's schema tells.</remarks>
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
    public readonly ulong Flags => RecordFate<TProbe>.FlagsOf(header);

    /// <inheritdoc/>
    public readonly long Expiry => run.Layout.Expiry(record);

    /// <inheritdoc/>
    public readonly ReadOnlySpan<byte> Value => run.Layout.Value(record);

    /// <inheritdoc/>
    public readonly bool IsPartial => (header & RecordHeader.Delta) != 0;

    /// <inheritdoc/>
    public readonly bool IsLarge => (header & RecordHeader.Large) != 0;

    /// <inheritdoc/>
    public readonly PartSeals<TProbe> Seals => run.Seals;

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
        if (error is not null && Sealed != 0) run.LetGo(Sealed);
        if (error is null && status == Status.Ok) run.Tally.Count(run.Layout.RecordSize(record, _length));
    }
}
