using System.Globalization;
using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>The words for a checkpoint's file that can't be trusted.</summary>
/// <remarks>Thread-safe.</remarks>
internal static class SealedFileErrors
{
    /// <summary>Refuses a file of another length than the one that a commit's record gives.</summary>
    /// <exception cref="DamagedDataException">It is one.</exception>
    public static void CheckLength(SealedFileKind kind, StoreFile file, long expected)
    {
        long length = file.Length;
        if (length != expected)
        {
            throw Damaged(
                kind, file.Path, Math.Min(length, expected), $"it has {length} bytes, but should have {expected}");
        }

        if (expected <= 0 || expected % SealedBuffer.Alignment != 0)
            throw Damaged(kind, file.Path, expected, "no such file ends there");
    }

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
