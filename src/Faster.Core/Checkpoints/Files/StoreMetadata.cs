using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;

namespace Faster.Checkpoints.Files;

/// <summary>
/// What does not change over a store's life: the identity of its files, and how to read them; and whether it has
/// committed (docs/formats/store-metadata.md).
/// </summary>
/// <remarks>
/// Written before any other file of the store, and once more with the first commit, before that is acknowledged.
/// Immutable; thread-safe.
/// </remarks>
internal sealed record StoreMetadata
{
    /// <summary>The name of the metadata file within the store's folder.</summary>
    public const string FileName = "store.meta";

    /// <summary>The name of the engine that reads and writes the store.</summary>
    public required string Engine { get; init; }

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

    /// <summary>
    /// Whether the store has made a commit: its folder has a commit record from then on, or has been damaged.
    /// </summary>
    public bool HasCommitted { get; init; }

    /// <summary>Makes the metadata of a new store.</summary>
    /// <param name="engine">The name of its engine.</param>
    /// <param name="schema">The layout of its records.</param>
    /// <param name="pageBits">The base-2 logarithm of its page size.</param>
    /// <param name="segmentSize">
    /// The requested size of a file of the log; rounded down to whole pages, at least one.
    /// </param>
    public static StoreMetadata New(string engine, RecordSchema schema, int pageBits, ByteSize segmentSize)
    {
        long stride = new BlockGeometry(pageBits).PageStride;
        return new StoreMetadata
        {
            Engine = engine,
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

    /// <summary>Whether a folder has a store.</summary>
    public static bool IsIn(string folder) => File.Exists(Path.Combine(folder, FileName));

    /// <summary>Reads the metadata of a folder; null when the folder has no file of a store.</summary>
    /// <exception cref="DamagedDataException">
    /// It is damaged, of another version, or missing beside other files of the store; or the store has committed, and
    /// its commit records are missing.
    /// </exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public static StoreMetadata? TryRead(StoreFiles files)
    {
        IReadOnlyList<string> names = files.List();
        if (!names.Contains(FileName))
        {
            if (names.FirstOrDefault(StoreFileNames.IsPublishedLater) is not { } other) return null;
            throw MetadataKind.Store.Damaged(
                Path.Combine(files.Name, FileName), 0, $"it does not exist, but '{other}' of the store does");
        }

        byte[] bytes = MetadataFile.Read(files, FileName, MetadataKind.Store, out string path);
        StoreMetadata metadata = Decode(path, bytes);
        bool isWhole = !metadata.HasCommitted || names.Contains(StoreFileNames.Commits);
        return isWhole ? metadata : throw NoRecords(files.Name);
    }

    /// <summary>Notes in the file of a store that it has committed, and makes that durable.</summary>
    /// <exception cref="DamagedDataException">The file can't be trusted.</exception>
    /// <exception cref="StorageException">It can't be read or written.</exception>
    public static void NoteCommitted(StoreFiles files)
    {
        byte[] bytes = MetadataFile.Read(files, FileName, MetadataKind.Store, out string path);
        (Decode(path, bytes) with { HasCommitted = true }).Publish(files);
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
        CheckSchema(place, schema);
        var pageSize = new ByteSize(1L << PageBits);
        CheckPageSize(place, options.PageSize, nameof(StoreOptions));
        return options with { PageSize = pageSize };
    }

    /// <summary>Refuses a store of another engine.</summary>
    /// <exception cref="StoreOpenException">The store belongs to another engine.</exception>
    public void CheckEngine(string place, string engine)
    {
        if (engine == Engine) return;
        throw new StoreOpenException(
            $"'{place}' belongs to a store of the engine {Engine}, and can't be opened by {engine}. Open it with a "
            + $"store type of {Engine}, or name another folder.");
    }

    /// <summary>Refuses a page size that the store does not have; 0 asks for none.</summary>
    /// <exception cref="StoreOpenException">The store has another page size.</exception>
    public void CheckPageSize(string place, ByteSize requested, string owner)
    {
        var pageSize = new ByteSize(1L << PageBits);
        if (requested.Bytes == 0 || requested == pageSize) return;
        throw new StoreOpenException(
            $"The store in '{place}' has pages of {pageSize}, but {owner}.Expert.PageSize asks for {requested}. Leave "
            + "it 0 to use the store's page size.");
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
        writer.Add(Engine);
        writer.Add(ColdIndex is not null);
        if (ColdIndex is { } cold)
        {
            writer.Add(cold.PageBits);
            writer.Add(cold.ChunkBytes);
            writer.Add(cold.ChunkCount);
            writer.Add(cold.SegmentBytes);
            writer.Add(ColdFolder ?? "");
        }

        writer.Add(HasCommitted);
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
                KeyLayout = reader.NextText(),
                ValueLayout = reader.NextText(),
            },
            Engine = reader.NextText(),
            ColdIndex = reader.NextFlag("cold tiers") ? NextColdIndex(reader) : null,
        };
        if (metadata.ColdIndex is not null && reader.NextText() is { Length: > 0 } folder)
            metadata = metadata with { ColdFolder = folder };
        metadata = metadata with { HasCommitted = reader.NextFlag("marks of commits") };
        if (metadata.SegmentBytes % new BlockGeometry(metadata.PageBits).PageStride != 0)
            throw reader.Damaged($"a segment size of {metadata.SegmentBytes}, which is not whole pages");
        reader.End();
        return metadata;
    }

    private static DamagedDataException NoRecords(string folder) => new(
        $"The store in '{folder}' has committed, but its commit records ('{StoreFileNames.Commits}') are missing: they "
        + "were deleted, or the folder was copied while the store was open. Nothing in it has been changed. "
        + "Restore the folder from a copy that was made while the store was closed, or import an export into a new "
        + "store; to begin with an empty store, delete all files of this one.")
    {
        Path = Path.Combine(folder, StoreFileNames.Commits), Offset = 0,
    };

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
