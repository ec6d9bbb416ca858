using System.Buffers.Binary;

namespace Faster.Checkpoints;

/// <summary>What a sealed file holds, and the version of that content's format (docs/formats/sealed-file.md).</summary>
/// <param name="Name">What it is, for messages.</param>
/// <param name="Magic">The first eight bytes.</param>
/// <param name="Version">The format version that this library writes, and reads.</param>
internal readonly record struct SealedFileKind(string Name, ulong Magic, uint Version)
{
    /// <summary>A fuzzy checkpoint of the index.</summary>
    public static SealedFileKind Index { get; } = new("index checkpoint", MagicOf("FASTERIX"u8), 1);

    /// <summary>A snapshot, or an increment over one.</summary>
    public static SealedFileKind Snapshot { get; } = new("snapshot", MagicOf("FASTERSN"u8), 1);

    private static ulong MagicOf(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt64LittleEndian(bytes);
}
