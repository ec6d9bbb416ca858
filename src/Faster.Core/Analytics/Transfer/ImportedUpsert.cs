using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>
/// Sets a key to the bytes of a value, bypassing the user's functions, which made the value before the export.
/// </summary>
/// <typeparam name="TLayout">The layout of the store's values.</typeparam>
/// <param name="value">The value's bytes; they must not change while the operation is pending.</param>
internal readonly struct ImportedUpsert<TLayout>(ReadOnlyMemory<byte> value) : IUpsertOperation
    where TLayout : struct, IValueLayout
{
    /// <inheritdoc/>
    public static int ValueSize => TLayout.ValueSize;

    /// <inheritdoc/>
    public static bool LatchesUpdates => TLayout.LatchesUpdates;

    /// <inheritdoc/>
    public static bool LatchesReads => TLayout.LatchesReads;

    /// <inheritdoc/>
    public static bool RunsUserCode => false;

    /// <inheritdoc/>
    public bool IsAwaited => false;

    /// <inheritdoc/>
    public int Length => value.Length;

    /// <inheritdoc/>
    public void Capture() { }

    /// <inheritdoc/>
    public void SingleWrite(Span<byte> slot) => value.Span.CopyTo(slot);

    /// <inheritdoc/>
    public bool ConcurrentWrite(ref ValueSlot slot) => slot.TryReplace(value.Span);

    /// <inheritdoc/>
    public void Complete(Status status, Exception? error) { }
}
