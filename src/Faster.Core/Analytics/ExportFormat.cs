using System.Buffers.Binary;
using Faster.Checkpoints;
using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>The stream of an export: head, blocks of records, end (docs/formats/export.md).</summary>
/// <remarks>Thread-safe: pure functions.</remarks>
internal static class ExportFormat
{
    // The first version that has layouts.
    private const uint LayoutVersion = 2;

    /// <summary>The bytes of the head that tell its length.</summary>
    public const int HeadStart = 16;

    /// <summary>The most bytes of a head.</summary>
    public const int MostHead = 1 << 20;

    /// <summary>What stands before a block's records: their bytes, their number, a checksum.</summary>
    public const int BlockHead = 12;

    /// <summary>A block is ended when it has so many bytes.</summary>
    public const int BlockTarget = 64 << 10;

    /// <summary>The most bytes of a block: one of a single large record.</summary>
    public const int MostBlock = 1 << 30;

    /// <summary>The bytes of a checksum.</summary>
    public const int CheckBytes = 4;

    /// <summary>What stands behind the head of the block without records that ends the stream.</summary>
    public const int EndBytes = 8 + CheckBytes;

    /// <summary>A record's flags: its key was deleted, and there is no value.</summary>
    public const byte Deleted = 1;

    /// <summary>A record's flags: behind the key stands when the record expires.</summary>
    public const byte Expiring = 2;

    /// <summary>The head of a stream.</summary>
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

    /// <summary>Refuses a stream of other records.</summary>
    /// <param name="place">Where the stream is from, for messages.</param>
    /// <param name="head">Its head.</param>
    /// <param name="schema">The store's records.</param>
    /// <exception cref="DamagedDataException">The head can't be trusted, or is of other records.</exception>
    public static void CheckHead(string place, byte[] head, RecordSchema schema)
    {
        var reader = new MetadataReader(MetadataKind.Export, place, head);
        int keySize = reader.Next(0, int.MaxValue, "a key's size");
        int valueSize = reader.Next(0, int.MaxValue, "a value's size");
        // An export does not have the size of a slot: it follows from that of the key.
        var written = new RecordSchema(schema.KeySlotSize, keySize, valueSize, reader.NextText(), reader.NextText())
        {
            KeyLayout = reader.Version < LayoutVersion ? "" : reader.NextText(),
            ValueLayout = reader.Version < LayoutVersion ? "" : reader.NextText(),
        };
        reader.End();
        if (schema.Misfit(written) is not { } difference) return;
        throw MetadataKind.Export.Damaged(
            place, HeadStart,
            $"it holds other records than the store:{difference}\nImport it into a store of types like those that it "
            + "was made of (docs/CHANGING-TYPES.md)");
    }

    /// <summary>The length of a head, by its first bytes.</summary>
    /// <exception cref="DamagedDataException">They are not those of a head.</exception>
    public static int HeadLength(string place, ReadOnlySpan<byte> start)
    {
        if (BinaryPrimitives.ReadUInt64LittleEndian(start) != MetadataKind.Export.Magic)
            throw MetadataKind.Export.Damaged(place, 0, "it does not begin with the mark of one");
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(start[MetadataReader.VersionAt..]);
        if (version < MetadataKind.Export.OldestVersion || version > MetadataKind.Export.Version)
        {
            throw MetadataKind.Export.Damaged(
                place, MetadataReader.VersionAt, $"its format version is {version}; this library reads versions "
                + $"{MetadataKind.Export.OldestVersion} to {MetadataKind.Export.Version}");
        }

        uint length = BinaryPrimitives.ReadUInt32LittleEndian(start[MetadataReader.LengthAt..]);
        return length is > HeadStart and <= MostHead
            ? (int)length
            : throw MetadataKind.Export.Damaged(place, MetadataReader.LengthAt, $"its head would have {length} bytes");
    }
}
