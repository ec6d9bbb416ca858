using System.Globalization;
using Faster.Devices.Folders;

namespace Faster.Checkpoints.Files;

/// <summary>Builds the exceptions for a checkpoint file that can't be trusted.</summary>
/// <remarks>Thread-safe: pure functions.</remarks>
internal static class ChecksummedFileErrors
{
    /// <summary>
    /// Refuses a file whose length differs from the one in the commit record, or is no multiple of a sector.
    /// </summary>
    /// <exception cref="DamagedDataException">The length is wrong.</exception>
    public static void CheckLength(ChecksummedFileKind kind, StoreFile file, long expected)
    {
        long length = file.Length;
        if (length != expected)
        {
            throw Damaged(
                kind, file.Path, Math.Min(length, expected), $"it has {length} bytes, but should have {expected}");
        }

        if (expected <= 0 || expected % ChecksummedBuffer.Alignment != 0)
            throw Damaged(kind, file.Path, expected, "no such file ends there");
    }

    /// <summary>Makes the exception for a file with wrong content.</summary>
    /// <param name="kind">What the file should be.</param>
    /// <param name="path">The file's path.</param>
    /// <param name="offset">The offset in the file of the byte at which the damage was found.</param>
    /// <param name="what">What is wrong, as a clause.</param>
    public static DamagedDataException Damaged(ChecksummedFileKind kind, string path, long offset, string what) => new(
        string.Create(
            CultureInfo.InvariantCulture,
            $"The {kind.Name} '{path}' can't be trusted: {what} (byte {offset:N0}). Restore the folder from a copy, or "
            + $"open an older commit with StoreOptions.AllowOlderCommit."))
    {
        Path = path,
        Offset = offset,
    };
}
