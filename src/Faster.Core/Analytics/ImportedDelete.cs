using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>Deletes a key.</summary>
/// <typeparam name="TLayout">The store's values.</typeparam>
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
