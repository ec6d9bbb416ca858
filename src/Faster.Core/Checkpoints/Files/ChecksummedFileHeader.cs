using System.Runtime.InteropServices;

namespace Faster.Checkpoints.Files;

/// <summary>The first bytes of a checksummed file's payload (docs/formats/checksummed-file.md).</summary>
/// <param name="Magic">Identifies the kind of file.</param>
/// <param name="Version">The version of that kind's format.</param>
/// <param name="Reserved">0.</param>
/// <param name="Store">The identity of the store that the file belongs to.</param>
/// <param name="File">The file's own identity, with which the checksums of its blocks are seeded.</param>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal readonly record struct ChecksummedFileHeader(ulong Magic, uint Version, uint Reserved, ulong Store, ulong File)
{
    /// <summary>The header's size in bytes.</summary>
    public const int SizeInBytes = 32;

    /// <summary>Makes the header of a file of the given kind.</summary>
    public static ChecksummedFileHeader Of(ChecksummedFileKind kind, ulong store, ulong file) =>
        new(kind.Magic, kind.Version, 0, store, file);

    /// <summary>
    /// Refuses a file of another kind or format version. Called before the header's block is verified.
    /// </summary>
    /// <exception cref="DamagedDataException">
    /// The file is of another kind, or of a version that is not supported.
    /// </exception>
    public void CheckFormat(ChecksummedFileKind kind, string path)
    {
        if (Magic != kind.Magic)
            throw ChecksummedFileErrors.Damaged(kind, path, 0, "its magic number is wrong");
        if (Version == kind.Version) return;
        throw ChecksummedFileErrors.Damaged(
            kind, path, 8, $"its format version is {Version}; this library reads version {kind.Version}. "
            + "Open it with the library that wrote it");
    }

    /// <summary>
    /// Refuses a file of another store, or a different file. Called after the header's block has been verified.
    /// </summary>
    /// <exception cref="DamagedDataException">It is not the requested file.</exception>
    public void CheckOwner(ChecksummedFileKind kind, string path, ulong store, ulong file)
    {
        if (Reserved != 0)
            throw ChecksummedFileErrors.Damaged(kind, path, 12, "it has flags that this version does not know");
        if (Store != store) throw ChecksummedFileErrors.Damaged(kind, path, 16, "it belongs to another store");
        if (File != file) throw ChecksummedFileErrors.Damaged(kind, path, 24, "it is another file than the one named");
    }
}
