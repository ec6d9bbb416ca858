using System.Globalization;

namespace Faster.Checkpoints;

/// <summary>The words for a checkpoint's file that can't be trusted.</summary>
/// <remarks>Thread-safe: pure functions.</remarks>
internal static class SealedFileErrors
{
    /// <summary>Something in the file is wrong.</summary>
    /// <param name="kind">What the file should be.</param>
    /// <param name="path">The file.</param>
    /// <param name="offset">The byte that gave it away.</param>
    /// <param name="what">What is wrong.</param>
    public static DamagedDataException Damaged(SealedFileKind kind, string path, long offset, string what) => new(
        string.Create(
            CultureInfo.InvariantCulture,
            $"The {kind.Name} '{path}' can't be trusted: {what} (byte {offset:N0}). Restore the folder from a copy, or "
            + $"open an older commit with StoreOptions.FallBack."))
    {
        Path = path,
        Offset = offset,
    };
}
