using System.Buffers.Binary;
using System.Numerics;
using System.Text;
using Faster.Memory;
using Faster.Persistence;

namespace Faster.Engines.Bullet.Back;

/// <summary>The first page of the region: what it is, and how it is divided. Written once. Immutable.</summary>
/// <param name="Identity">A number that no other region has; it seeds all checksums.</param>
/// <param name="Shape">How the region is divided.</param>
/// <param name="Schema">What keys and values are, as the store's types say.</param>
internal sealed unsafe record BackHeader(ulong Identity, BackShape Shape, string Schema)
{
    private const ulong Magic = 0x4B43_4142_5453_4146; // FASTBACK
    private const uint Version = 1;
    private const int VersionAt = 8, ChecksumAt = 12, IdentityAt = 16, PartsAt = 24, RedoBytesAt = 28;
    private const int FlagsAt = 32, PageBytesAt = 36, SchemaBytesAt = 40, SchemaAt = 44;
    private const int MaxSchemaBytes = BackLayout.PageBytes - SchemaAt;

    /// <summary>Whether no header was ever written, or not to its end.</summary>
    public static bool IsMissing(PersistentRegion region) => *(ulong*)region.Pointer == 0;

    /// <summary>Writes and flushes everything but the word that makes it a header.</summary>
    /// <exception cref="LimitExceededException">The schema is too long.</exception>
    public void Write(PersistentRegion region)
    {
        byte[] schema = Encoding.UTF8.GetBytes(Schema);
        if (schema.Length > MaxSchemaBytes)
        {
            throw new LimitExceededException(
                $"The names of the key's and value's types take {schema.Length} bytes, more than {MaxSchemaBytes}. "
                + "Give the types shorter names.");
        }

        var page = new Span<byte>(region.Pointer, BackLayout.PageBytes);
        page.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(page[VersionAt..], Version);
        BinaryPrimitives.WriteUInt64LittleEndian(page[IdentityAt..], Identity);
        BinaryPrimitives.WriteInt32LittleEndian(page[PartsAt..], Shape.Parts);
        BinaryPrimitives.WriteInt32LittleEndian(page[RedoBytesAt..], Shape.RedoBytes);
        BinaryPrimitives.WriteInt32LittleEndian(page[FlagsAt..], Shape.WithRedo ? 1 : 0);
        BinaryPrimitives.WriteInt32LittleEndian(page[PageBytesAt..], BackLayout.PageBytes);
        BinaryPrimitives.WriteInt32LittleEndian(page[SchemaBytesAt..], schema.Length);
        schema.CopyTo(page[SchemaAt..]);
        BinaryPrimitives.WriteUInt32LittleEndian(page[ChecksumAt..], Compute(page));
        region.Flush(0, BackLayout.PageBytes);
    }

    /// <summary>Makes what was written a header, when it and all that belongs to it is durable.</summary>
    public static void Complete(PersistentRegion region)
    {
        *(ulong*)region.Pointer = Magic;
        region.Flush(0, sizeof(ulong));
    }

    /// <summary>Reads the header of a region.</summary>
    /// <exception cref="DamagedDataException">It is damaged, or of another version of the format.</exception>
    public static BackHeader Read(PersistentRegion region)
    {
        var page = new ReadOnlySpan<byte>(region.Pointer, BackLayout.PageBytes);
        if (BinaryPrimitives.ReadUInt64LittleEndian(page) != Magic)
            BackLayout.ThrowDamaged(region.Name, 0, "it does not begin as the back of a store");
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(page[VersionAt..]);
        if (version != Version)
        {
            BackLayout.ThrowDamaged(
                region.Name, VersionAt, $"its format has version {version}, and this library reads {Version}");
        }

        if (BinaryPrimitives.ReadUInt32LittleEndian(page[ChecksumAt..]) != Compute(page))
            BackLayout.ThrowDamaged(region.Name, ChecksumAt, "the checksum of its header is wrong");
        var shape = new BackShape(
            BinaryPrimitives.ReadInt32LittleEndian(page[PartsAt..]),
            BinaryPrimitives.ReadInt32LittleEndian(page[RedoBytesAt..]),
            BinaryPrimitives.ReadInt32LittleEndian(page[FlagsAt..]) == 1);
        int schemaBytes = BinaryPrimitives.ReadInt32LittleEndian(page[SchemaBytesAt..]);
        return new BackHeader(
            BinaryPrimitives.ReadUInt64LittleEndian(page[IdentityAt..]), shape,
            Encoding.UTF8.GetString(page.Slice(SchemaAt, schemaBytes)));
    }

    private static uint Compute(ReadOnlySpan<byte> page)
    {
        uint crc = BitOperations.Crc32C(uint.MaxValue, BinaryPrimitives.ReadUInt32LittleEndian(page[VersionAt..]));
        return ~Crc32C.Add(crc, page[IdentityAt..]);
    }
}
