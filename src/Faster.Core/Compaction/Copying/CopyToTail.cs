using Faster.Operations;

namespace Faster.Compaction.Copying;

/// <summary>The copy of one record to the tail with its value unchanged: it runs no user code.</summary>
/// <remarks>
/// Refers to the record in the page's copy, which is kept until all copies of its records are complete.
/// </remarks>
internal unsafe struct CopyToTail(
    long address, ulong flags, long expiry, byte* value, int length, long size, CopyCounters counters)
    : IConditionalInsert
{
    /// <inheritdoc/>
    /// <remarks>0: not known at compile time, but defined by the store's schema.</remarks>
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
        if (error is null && status == Status.Ok) counters.Count(size);
    }
}
