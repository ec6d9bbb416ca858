using System.Runtime.InteropServices;

namespace Faster.Checkpoints;

/// <summary>What the payload of a sealed file begins with (docs/formats/sealed-file.md).</summary>
/// <param name="Magic">Says which kind of file it is.</param>
/// <param name="Version">The version of that kind's format.</param>
/// <param name="Reserved">0.</param>
/// <param name="Store">The identity of the store that it belongs to.</param>
/// <param name="File">Its own identity, by which its blocks are sealed.</param>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal readonly record struct SealedFileHeader(ulong Magic, uint Version, uint Reserved, ulong Store, ulong File)
{
    /// <summary>Its bytes.</summary>
    public const int SizeInBytes = 32;

    /// <summary>What a file of a kind begins with.</summary>
    public static SealedFileHeader Of(SealedFileKind kind, ulong store, ulong file) =>
        new(kind.Magic, kind.Version, 0, store, file);

    /// <summary>
    /// Refuses what no file of this kind and version begins with; called before the block is verified.
    /// </summary>
    /// <exception cref="DamagedDataException">It is another kind of file, or of a version that is not read.</exception>
    public void CheckFormat(SealedFileKind kind, string path)
    {
        if (Magic != kind.Magic)
            throw SealedFileErrors.Damaged(kind, path, 0, "it does not begin with the mark of one");
        if (Version == kind.Version) return;
        throw SealedFileErrors.Damaged(
            kind, path, 8, $"its format version is {Version}; this library reads version {kind.Version}. "
            + "Open it with the library that wrote it");
    }

    /// <summary>Refuses a file of another store, or another file; called when the block has been verified.</summary>
    /// <exception cref="DamagedDataException">It is not the file that was asked for.</exception>
    public void CheckOwner(SealedFileKind kind, string path, ulong store, ulong file)
    {
        if (Reserved != 0)
            throw SealedFileErrors.Damaged(kind, path, 12, "it has flags that this version does not know");
        if (Store != store) throw SealedFileErrors.Damaged(kind, path, 16, "it belongs to another store");
        if (File != file) throw SealedFileErrors.Damaged(kind, path, 24, "it is another file than the one named");
    }
}
