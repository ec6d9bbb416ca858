using System.Buffers.Binary;
using Faster.Checkpoints.Files;
using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>The stream of an export: head, blocks of records, end (docs/formats/export.md).</summary>
/// <remarks>Thread-safe: pure functions.</remarks>
internal static class ExportFormat
{
    /// <summary>The number of bytes of the head that must be read to determine its length.</summary>
    public const int HeadStart = 16;

    /// <summary>The maximum size of a head in bytes.</summary>
    public const int MaxHead = 1 << 20;

    /// <summary>
    /// The size in bytes of what precedes a block's records: their size, their number, and a checksum.
    /// </summary>
    public const int BlockHead = 12;

    /// <summary>The size in bytes at which a block is ended.</summary>
    public const int BlockTarget = 64 << 10;

    /// <summary>The maximum size of a block in bytes, which a block with a single large record may reach.</summary>
    public const int MaxBlock = 1 << 30;

    /// <summary>The size of a checksum in bytes.</summary>
    public const int CheckBytes = 4;

    /// <summary>The size in bytes of what follows the head of the block without records that ends the stream.</summary>
    public const int EndBytes = 8 + CheckBytes;

    /// <summary>A record's flag: the key was deleted, and there is no value.</summary>
    public const byte Deleted = 1;

    /// <summary>A record's flag: the record's expiry follows the key.</summary>
    public const byte Expiring = 2;

    /// <summary>Encodes the head of a stream.</summary>
    public static byte[] Head(RecordSchema schema)
    {
        var writer = new MetadataWriter(MetadataKind.Export);
        writer.Add(schema.KeySize);
        writer.Add(schema.ValueSize);
        writer.Add(schema.KeyType);
        writer.Add(schema.ValueType);
        writer.Add(schema.KeyLayout);
        writer.Add(schema.ValueLayout);
        return writer.End();
    }

    /// <summary>Rejects a stream of other records.</summary>
    /// <param name="place">The name of the stream, for messages.</param>
    /// <param name="head">The stream's head.</param>
    /// <param name="schema">The schema of the store's records.</param>
    /// <exception cref="DamagedDataException">The head is damaged, or is of other records.</exception>
    public static void CheckHead(string place, byte[] head, RecordSchema schema)
    {
        var reader = new MetadataReader(MetadataKind.Export, place, head);
        int keySize = reader.Next(0, int.MaxValue, "a key's size");
        int valueSize = reader.Next(0, int.MaxValue, "a value's size");
        // An export does not contain the size of a slot, which follows from the size of the key.
        var written = new RecordSchema(schema.KeySlotSize, keySize, valueSize, reader.NextText(), reader.NextText())
        {
            KeyLayout = reader.NextText(),
            ValueLayout = reader.NextText(),
        };
        reader.End();
        if (schema.Misfit(written) is not { } difference) return;
        throw MetadataKind.Export.Damaged(
            place, HeadStart,
            $"it holds other records than the store:{difference}\nImport it into a store of types like those that it "
            + "was made of (docs/guide/changing-types.md)");
    }

    /// <summary>Returns the length of a head in bytes from its first bytes.</summary>
    /// <exception cref="DamagedDataException">The bytes are not the start of a head.</exception>
    public static int HeadLength(string place, ReadOnlySpan<byte> start)
    {
        if (BinaryPrimitives.ReadUInt64LittleEndian(start) != MetadataKind.Export.Magic)
            throw MetadataKind.Export.Damaged(place, 0, "it does not start with the magic number of an export");
        MetadataKind.Export.CheckVersion(
            place, BinaryPrimitives.ReadUInt32LittleEndian(start[MetadataReader.VersionAt..]));
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(start[MetadataReader.LengthAt..]);
        return length is > HeadStart and <= MaxHead
            ? (int)length
            : throw MetadataKind.Export.Damaged(place, MetadataReader.LengthAt, $"its head would have {length} bytes");
    }
}
