using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>The deletion of a key that an import makes.</summary>
/// <typeparam name="TLayout">The layout of the store's values.</typeparam>
internal readonly struct ImportedDelete<TLayout> : IDeleteOperation
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
    public void Capture() { }

    /// <inheritdoc/>
    public void Complete(Status status, Exception? error) { }
}
