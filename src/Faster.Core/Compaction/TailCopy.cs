namespace Faster.Compaction;

/// <summary>The copy of one record to the tail, its value as it is: no user code sees it.</summary>
/// <remarks>
/// Refers to the record in the page that is compacted, which is kept until all of its copies are done.
/// </remarks>
internal unsafe struct TailCopy(
    long address, ulong flags, long expiry, byte* value, int length, long size, CopyTally tally)
    : IConditionalInsert
{
    /// <inheritdoc/>
    /// <remarks>Not known at compile time: the store's schema tells.</remarks>
    public static int ValueSize => 0;

    /// <inheritdoc/>
    public static bool LatchesUpdates => false;

    /// <inheritdoc/>
    public static bool LatchesReads => false;

    /// <inheritdoc/>
    public static bool RunsUserCode => false;

    /// <inheritdoc/>
    public readonly bool IsAwaited => false;

    /// <inheritdoc/>
    public readonly long Above => address;

    /// <inheritdoc/>
    public readonly ulong Flags => flags;

    /// <inheritdoc/>
    public readonly long Expiry => expiry;

    /// <inheritdoc/>
    public readonly ReadOnlySpan<byte> Value => new(value, length);

    /// <inheritdoc/>
    public readonly void Capture() { }

    /// <inheritdoc/>
    public readonly void Complete(Status status, Exception? error)
    {
        if (error is null && status == Status.Ok) tally.Count(size);
    }
}
