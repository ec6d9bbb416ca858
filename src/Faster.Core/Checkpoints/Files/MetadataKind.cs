using System.Buffers.Binary;

namespace Faster.Checkpoints.Files;

/// <summary>A kind of file that is read as a whole: magic, version, length, content, checksum.</summary>
/// <param name="Name">The kind's name, for messages.</param>
/// <param name="Magic">The first eight bytes.</param>
/// <param name="Version">The format version that this library writes and reads.</param>
/// <param name="Advice">What to do when a file of this kind can't be trusted, as a sentence.</param>
internal readonly record struct MetadataKind(string Name, ulong Magic, uint Version, string Advice)
{
    /// <summary>The most bytes that such a file may have. Longer files are refused before they are read.</summary>
    public const int MaxBytes = 1 << 30;

    /// <summary>A store's constants: identity, hash seed, schema, page and segment size.</summary>
    public static MetadataKind Store { get; } = new(
        "store's metadata", MagicOf("FASTERNT"u8), 1,
        "Restore the folder from a copy, or remove it to start with an empty store.");

    /// <summary>The mark of a folder with a cold tier.</summary>
    public static MetadataKind ColdFolder { get; } = new(
        "mark of the cold tier", MagicOf("FASTERCF"u8), 1,
        "Restore the folder from a copy.");

    /// <summary>The record of one commit.</summary>
    public static MetadataKind Commit { get; } = new(
        "commit record", MagicOf("FASTERCM"u8), 1,
        "Restore the folder from a copy, or open an older commit with StoreOptions.AllowOlderCommit.");

    /// <summary>A summary of the times at which records expire: a hint.</summary>
    public static MetadataKind Expiries { get; } = new(
        "record of expiries", MagicOf("FASTEREX"u8), 1,
        "Nothing is lost: the store reads its log again and rewrites the file.");

    /// <summary>The header of an export (docs/formats/export.md).</summary>
    public static MetadataKind Export { get; } = new(
        "export", MagicOf("FASTERXP"u8), 1,
        "Use another copy, or export again.");

    /// <summary>Makes the exception for a file that can't be trusted.</summary>
    /// <param name="path">The file's path.</param>
    /// <param name="offset">The offset in the file of the byte at which the damage was found.</param>
    /// <param name="what">What is wrong, as a clause.</param>
    public DamagedDataException Damaged(string path, long offset, string what) =>
        new($"The {Name} '{path}' can't be trusted: {what} (byte {offset}). {Advice}") { Path = path, Offset = offset };

    /// <summary>Refuses a file of another format version.</summary>
    /// <exception cref="DamagedDataException">It is of another one.</exception>
    public void CheckVersion(string path, uint version)
    {
        if (version == Version) return;
        throw Damaged(
            path, MetadataReader.VersionAt, $"its format version is {version}; this library reads version {Version}. "
            + "Open it with the library that wrote it");
    }

    private static ulong MagicOf(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt64LittleEndian(bytes);
}
