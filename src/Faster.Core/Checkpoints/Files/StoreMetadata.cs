using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;

namespace Faster.Checkpoints.Files;

/// <summary>
/// What does not change over a store's life: the identity of its files, and how to read them
/// (docs/formats/store-metadata.md).
/// </summary>
/// <remarks>Written once, before any other file of the store. Immutable; thread-safe.</remarks>
internal sealed record StoreMetadata
{
    /// <summary>The name of the metadata file within the store's folder.</summary>
    public const string FileName = "store.meta";

    // The first version that has layouts.
    private const uint LayoutVersion = 3;

    // The first version that knows of a cold tier.
    private const uint ColdVersion = 4;

    // The first version whose cold tier may lie in another folder.
    private const uint ColdFolderVersion = 5;

    /// <summary>The store's identity, with which the checksums of all blocks of its log are seeded.</summary>
    public required ulong Identity { get; init; }

    /// <summary>The seed of the hash function.</summary>
    public required HashSeed Seed { get; init; }

    /// <summary>The layout of the records.</summary>
    public required RecordSchema Schema { get; init; }

    /// <summary>The base-2 logarithm of the page size.</summary>
    public required int PageBits { get; init; }

    /// <summary>
    /// The size of one file of the log, in bytes: whole pages, with the space that they take on the device.
    /// </summary>
    public required long SegmentBytes { get; init; }

    /// <summary>The index of the cold tier; null: the store has one tier.</summary>
    public ColdIndexShape? ColdIndex { get; init; }

    /// <summary>
    /// The folder of the cold tier when the store was made: a hint for messages. Null: the store's own folder.
    /// </summary>
    public string? ColdFolder { get; init; }

    /// <summary>Makes the metadata of a new store.</summary>
    /// <param name="schema">The layout of its records.</param>
    /// <param name="pageBits">The base-2 logarithm of its page size.</param>
    /// <param name="segmentSize">
    /// The requested size of a file of the log; rounded down to whole pages, at least one.
    /// </param>
    public static StoreMetadata New(RecordSchema schema, int pageBits, ByteSize segmentSize)
    {
        long stride = new BlockGeometry(pageBits).PageStride;
        return new StoreMetadata
        {
            Identity = HashSeed.Random().A,
            Seed = HashSeed.Random(),
            Schema = schema,
            PageBits = pageBits,
            SegmentBytes = SegmentOf(segmentSize, stride),
        };
    }

    /// <summary>The bytes of a segment: whole pages of a number of bytes each, at least one.</summary>
    public static long SegmentOf(ByteSize requested, long pageStride) =>
        Math.Max(requested.Bytes / pageStride, 1) * pageStride;

    /// <summary>Reads the metadata of a folder; null when the folder has none and no commits.</summary>
    /// <exception cref="DamagedDataException">It is damaged, of another version, or missing beside commits.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public static StoreMetadata? TryRead(StoreFiles files)
    {
        IReadOnlyList<string> names = files.List();
        if (!names.Contains(FileName))
        {
            if (!names.Any(static name => StoreFileNames.IsCommit(name, out _))) return null;
            throw MetadataKind.Store.Damaged(
                Path.Combine(files.Name, FileName), 0, "it does not exist, but commits of the store do");
        }

        byte[] bytes = MetadataFile.Read(files, FileName, MetadataKind.Store, out string path);
        return Decode(path, bytes);
    }

    /// <summary>Writes the file and makes it durable.</summary>
    /// <exception cref="StorageException">It can't be written.</exception>
    public void Publish(StoreFiles files)
    {
        MetadataFile.Prepare(files, FileName, Encode());
        MetadataFile.Publish(files, FileName);
    }

    /// <summary>Refuses a schema or options that the store does not have.</summary>
    /// <param name="place">The store's folder or device, for messages.</param>
    /// <param name="schema">The requested layout of records.</param>
    /// <param name="options">The requested options.</param>
    /// <returns>The options, with the store's page size.</returns>
    /// <exception cref="StoreOpenException">The store has another schema or another page size.</exception>
    public StoreOptions Apply(string place, RecordSchema schema, StoreOptions options)
    {
        CheckTiers(place, hasCold: false);
        CheckSchema(place, schema);
        var pageSize = new ByteSize(1L << PageBits);
        CheckPageSize(place, options.PageSize, nameof(StoreOptions));
        return options with { PageSize = pageSize };
    }

    /// <summary>Refuses the engine of a store with another number of tiers.</summary>
    /// <exception cref="StoreOpenException">The store belongs to another engine.</exception>
    public void CheckTiers(string place, bool hasCold)
    {
        if (ColdIndex is not null == hasCold) return;
        (string own, string other) = hasCold
            ? (nameof(FasterEngine), nameof(TieredEngine))
            : (nameof(TieredEngine), nameof(FasterEngine));
        throw new StoreOpenException(
            $"'{place}' belongs to a store of the engine {own}, and can't be opened by {other}. Open it with a store "
            + $"type of {own}, or name another folder.");
    }

    /// <summary>Refuses a page size that the store does not have; 0 asks for none.</summary>
    /// <exception cref="StoreOpenException">The store has another page size.</exception>
    public void CheckPageSize(string place, ByteSize requested, string owner)
    {
        var pageSize = new ByteSize(1L << PageBits);
        if (requested.Bytes == 0 || requested == pageSize) return;
        throw new StoreOpenException(
            $"The store in '{place}' has pages of {pageSize}, but {owner}.PageSize asks for {requested}. Leave it 0 to "
            + "use the store's page size.");
    }

    /// <summary>Refuses a schema that the store does not have.</summary>
    /// <exception cref="StoreOpenException">The store has another schema.</exception>
    public void CheckSchema(string place, RecordSchema schema)
    {
        if (schema.Misfit(Schema) is { } difference)
        {
            throw new StoreOpenException(
                $"'{place}' belongs to a store of other records, whose bytes would be misread:{difference}\n"
                + "Open it with types like those that made it, and copy its records to a store in another folder; a "
                + "field that only has a new name keeps its stored name with "
                + "[StoredAs] (docs/guide/changing-types.md).");
        }
    }

    /// <summary>Encodes the file's bytes.</summary>
    internal byte[] Encode()
    {
        var writer = new MetadataWriter(MetadataKind.Store);
        writer.Add(Identity);
        writer.Add(Seed.A);
        writer.Add(Seed.B);
        writer.Add(SegmentBytes);
        writer.Add(PageBits);
        writer.Add(Schema.KeySlotSize);
        writer.Add(Schema.KeySize);
        writer.Add(Schema.ValueSize);
        writer.Add(Schema.KeyType);
        writer.Add(Schema.ValueType);
        writer.Add(Schema.KeyLayout);
        writer.Add(Schema.ValueLayout);
        writer.Add(ColdIndex is null ? (byte)0 : (byte)1);
        if (ColdIndex is { } cold)
        {
            writer.Add(cold.PageBits);
            writer.Add(cold.ChunkBytes);
            writer.Add(cold.ChunkCount);
            writer.Add(cold.SegmentBytes);
            writer.Add(ColdFolder ?? "");
        }

        return writer.End();
    }

    /// <summary>Decodes the file's bytes.</summary>
    /// <exception cref="DamagedDataException">They can't be trusted.</exception>
    internal static StoreMetadata Decode(string path, byte[] bytes)
    {
        var reader = new MetadataReader(MetadataKind.Store, path, bytes);
        var metadata = new StoreMetadata
        {
            Identity = reader.Next<ulong>(),
            Seed = new HashSeed(reader.Next<ulong>(), reader.Next<ulong>()),
            SegmentBytes = reader.Next<long>(1, long.MaxValue, "a segment size"),
            PageBits = reader.Next(BlockGeometry.MinPageBits, BlockGeometry.MaxPageBits, "a page size's logarithm"),
            Schema = new RecordSchema(
                reader.Next(0, int.MaxValue, "a key slot's size"), reader.Next(0, int.MaxValue, "a key's size"),
                reader.Next(0, int.MaxValue, "a value's size"), reader.NextText(), reader.NextText())
            {
                KeyLayout = reader.Version < LayoutVersion ? "" : reader.NextText(),
                ValueLayout = reader.Version < LayoutVersion ? "" : reader.NextText(),
            },
            ColdIndex = reader.Version < ColdVersion || reader.Next<byte>(0, 1, "a number of cold tiers") == 0
                ? null
                : NextColdIndex(reader),
        };
        if (metadata.ColdIndex is not null && reader.Version >= ColdFolderVersion
            && reader.NextText() is { Length: > 0 } folder)
            metadata = metadata with { ColdFolder = folder };
        if (metadata.SegmentBytes % new BlockGeometry(metadata.PageBits).PageStride != 0)
            throw reader.Damaged($"a segment size of {metadata.SegmentBytes}, which is not whole pages");
        reader.End();
        return metadata;
    }

    private static ColdIndexShape NextColdIndex(MetadataReader reader)
    {
        var shape = new ColdIndexShape(
            reader.Next(BlockGeometry.MinPageBits, BlockGeometry.MaxPageBits, "a page size's logarithm"),
            reader.Next(1, int.MaxValue, "a chunk's size"), reader.Next(1, long.MaxValue, "a number of chunks"),
            reader.Next(1, long.MaxValue, "a segment size"));
        return shape.SegmentBytes % new BlockGeometry(shape.PageBits).PageStride == 0
            ? shape
            : throw reader.Damaged($"a segment size of {shape.SegmentBytes}, which is not whole pages");
    }
}
