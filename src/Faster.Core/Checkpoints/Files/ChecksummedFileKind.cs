using System.Buffers.Binary;

namespace Faster.Checkpoints.Files;

/// <summary>
/// What a checksummed file holds, and the format version of that content (docs/formats/checksummed-file.md).
/// </summary>
/// <param name="Name">The kind's name, for messages.</param>
/// <param name="Magic">The first eight bytes of the payload.</param>
/// <param name="Version">The format version that this library writes and reads.</param>
internal readonly record struct ChecksummedFileKind(string Name, ulong Magic, uint Version)
{
    /// <summary>A fuzzy checkpoint of the index.</summary>
    public static ChecksummedFileKind Index { get; } = new("index checkpoint", MagicOf("FASTERIX"u8), 1);

    /// <summary>A snapshot of the log's memory, or an increment over one.</summary>
    public static ChecksummedFileKind Snapshot { get; } = new("snapshot", MagicOf("FASTERSN"u8), 1);

    /// <summary>The directory of hash chunks of a cold tier.</summary>
    public static ChecksummedFileKind Directory { get; } =
        new("directory of hash chunks", MagicOf("FASTERCD"u8), 1);

    /// <summary>The records of a table in memory.</summary>
    public static ChecksummedFileKind Table { get; } = new("table", MagicOf("FASTERTB"u8), 1);

    private static ulong MagicOf(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt64LittleEndian(bytes);
}
