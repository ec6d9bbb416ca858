using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Faster.Tests.Fuzzing;
using Faster.Tests.Operations;

namespace Faster.Tests.Checkpoints.Files;

/// <summary>The store's metadata: what is written is accepted, anything else is refused and says why.</summary>
public sealed class StoreMetadataTests : IDisposable
{
    private static readonly RecordSchema Schema = new(8, 8, 0, "Demo.Id", "bytes")
    {
        KeyLayout = "{ long A; }", ValueLayout = "bytes",
    };

    private readonly TemporaryFolder _folder = new();

    private string MetadataPath => Path.Combine(_folder.Path, "store.meta");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_published_file_is_read()
    {
        StoreMetadata metadata = Sample();
        Publish(metadata);
        Assert.Equal(metadata, Read());
        Assert.False(File.Exists(MetadataPath + ".new"));
    }

    [Fact]
    public void A_store_that_has_committed_is_not_opened_without_a_commit_record()
    {
        Publish(Sample());
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        StoreMetadata.NoteCommitted(files);
        var error = Assert.Throws<DamagedDataException>(() => StoreMetadata.TryRead(files));
        Assert.Equal(Path.Combine(_folder.Path, "commits"), error.Path);
        Assert.Contains("commit records ('commits') are missing", error.Message, StringComparison.Ordinal);
        files.Create("commits").Dispose();
        Assert.Equal(Sample() with { HasCommitted = true }, StoreMetadata.TryRead(files));
    }

    [Theory]
    [InlineData("log.000000000000")]
    [InlineData("cold.000000000003")]
    [InlineData("commits")]
    [InlineData("index.000000000001")]
    [InlineData("snapshot.000000000001")]
    [InlineData("expiries")]
    [InlineData("expiries.cold")]
    public void Files_of_a_store_without_metadata_are_not_taken_for_an_empty_folder(string name)
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        files.Create(name).Dispose();
        var error = Assert.Throws<DamagedDataException>(() => StoreMetadata.TryRead(files));
        Assert.Contains($"'{name}' of the store does", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void There_is_none_in_an_empty_folder() => Assert.Null(Read());

    [Fact]
    public void A_new_one_is_its_own_and_has_whole_pages_in_its_segments()
    {
        var first = StoreMetadata.New("AnEngine", Schema, 15, ByteSize.KiB(100));
        var second = StoreMetadata.New("AnEngine", Schema, 15, ByteSize.KiB(20));
        Assert.NotEqual(first.Identity, second.Identity);
        Assert.NotEqual(first.Seed, second.Seed);
        Assert.Equal((2 * 36_864, 36_864), (first.SegmentBytes, second.SegmentBytes));
    }

    [Fact]
    public void The_bytes_are_those_of_the_page_that_draws_them()
    {
        Publish(Sample());
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        Assert.Equal("FASTERNT"u8.ToArray(), bytes[..8]);
        Assert.Equal(1, BitConverter.ToInt32(bytes, 8));
        Assert.Equal(bytes.Length, BitConverter.ToInt32(bytes, 12));
        Assert.Equal(0x1122334455667788UL, BitConverter.ToUInt64(bytes, 16));
        Assert.Equal((6UL, 7UL), (BitConverter.ToUInt64(bytes, 24), BitConverter.ToUInt64(bytes, 32)));
        Assert.Equal(20480 * 3, BitConverter.ToInt64(bytes, 40));
        Assert.Equal([14, 8, 8, 0], Enumerable.Range(0, 4).Select(i => BitConverter.ToInt32(bytes, 48 + (4 * i))));
        byte[] values = [10, 0, 0, 0, .. "b\0y\0t\0e\0s\0"u8];
        byte[] keys = [22, 0, 0, 0, .. "{\0 \0l\0o\0n\0g\0 \0A\0;\0 \0}\0"u8];
        byte[] engine = [16, 0, 0, 0, .. "A\0n\0E\0n\0g\0i\0n\0e\0"u8];
        Assert.Equal(
            [14, 0, 0, 0, .. "D\0e\0m\0o\0.\0I\0d\0"u8, .. values, .. keys, .. values, .. engine, 0, 0], bytes[64..^4]);
        Assert.Equal(162, bytes.Length);
    }

    [Fact]
    public void A_change_of_any_bit_is_detected()
    {
        Publish(Sample());
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            File.WriteAllBytes(MetadataPath, bytes);
            var error = Assert.Throws<DamagedDataException>(() => StoreMetadata.TryRead(files));
            Assert.Equal(MetadataPath, error.Path);
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [Fact]
    public void Any_truncation_and_any_addition_is_detected()
    {
        Publish(Sample());
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        for (int length = 0; length < bytes.Length; length++)
        {
            File.WriteAllBytes(MetadataPath, bytes[..length]);
            Assert.Throws<DamagedDataException>(Read);
        }

        File.WriteAllBytes(MetadataPath, [.. bytes, 0]);
        Assert.Throws<DamagedDataException>(Read);
        File.WriteAllBytes(MetadataPath, NewChecksums.Metadata([.. bytes, 0])); // also if its checksum is right
        Assert.Throws<DamagedDataException>(Read);
    }

    [Fact]
    public void An_unknown_version_is_refused_by_both_numbers()
    {
        Publish(Sample());
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        bytes[8] = 9;
        File.WriteAllBytes(MetadataPath, bytes);
        var error = Assert.Throws<DamagedDataException>(Read);
        Assert.Contains("version is 9", error.Message, StringComparison.Ordinal);
        Assert.Contains("reads version 1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_cold_index_and_its_folder_are_written_after_the_engine()
    {
        StoreMetadata tiered = Sample() with { ColdIndex = new ColdIndexShape(12, 256, 1000, 24576) };
        byte[] index = [1, 12, 0, 0, 0, 0, 1, 0, 0, 0xe8, 3, 0, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0, 0, 0, 0];
        Publish(tiered);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        Assert.Equal([.. index, 0, 0, 0, 0, 0], bytes[156..^4]);
        Assert.Equal(tiered, Read());
        Publish(tiered with { ColdFolder = "/c" });
        Assert.Equal([.. index, 4, 0, 0, 0, .. "/\0c\0"u8, 0], File.ReadAllBytes(MetadataPath)[156..^4]);
        Assert.Equal(tiered with { ColdFolder = "/c" }, Read());
    }

    [Fact]
    public void Another_engine_is_refused_and_both_are_named()
    {
        Sample().CheckEngine("here", "AnEngine");
        string message = Assert.Throws<StoreOpenException>(() => Sample().CheckEngine("here", "Other")).Message;
        Assert.Contains("'here' belongs to a store of the engine AnEngine, and can't be opened by Other", message);
    }

    [Fact]
    public void Fields_in_another_order_are_refused_and_both_sides_are_shown()
    {
        RecordSchema first = new(8, 8, 16, "long", "Demo.State") { ValueLayout = "{ long Seen; double Max; }" };
        RecordSchema second = first with { ValueLayout = "{ double Max; long Seen; }" };
        StoreMetadata metadata = Sample() with { Schema = first };
        string message = Assert.Throws<StoreOpenException>(
            () => metadata.Apply("here", second, new StoreOptions())).Message;
        Assert.Contains("value there: Demo.State = { long Seen; double Max; } (16 bytes)", message);
        Assert.Contains("value here:  Demo.State = { double Max; long Seen; } (16 bytes)", message);
        Assert.DoesNotContain("key there", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_may_change_its_name_and_namespace() => Assert.NotNull(
        Sample().Apply("here", Schema with { KeyType = "Other.Number", ValueType = "blob" }, new StoreOptions()));

    [Fact]
    public void Another_schema_is_refused_by_its_types()
    {
        StoreMetadata metadata = Sample();
        var error = Assert.Throws<StoreOpenException>(
            () => metadata.Apply("here", Schema with { ValueType = "int", ValueLayout = "" }, new StoreOptions()));
        Assert.Contains("value there: bytes", error.Message, StringComparison.Ordinal);
        Assert.Contains("value here:  int", error.Message, StringComparison.Ordinal);
        Assert.Throws<StoreOpenException>(
            () => metadata.Apply("here", Schema with { KeySlotSize = 16 }, new StoreOptions()));
    }

    [Fact]
    public void Another_page_size_is_refused_by_both_and_none_takes_what_is_there()
    {
        StoreMetadata metadata = Sample();
        var error = Assert.Throws<StoreOpenException>(
            () => metadata.Apply("here", Schema, new StoreOptions { PageSize = ByteSize.KiB(32) }));
        Assert.Contains("16.0 KiB", error.Message, StringComparison.Ordinal);
        Assert.Contains("32.0 KiB", error.Message, StringComparison.Ordinal);
        Assert.Equal(ByteSize.KiB(16), metadata.Apply("here", Schema, new StoreOptions()).PageSize);
    }

    [Fact]
    public async Task A_store_that_is_opened_again_keeps_what_it_was_made_with()
    {
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(8) };
        await (await Open(options)).DisposeAsync();
        StoreMetadata? made = Read();
        await (await Open(options with { PageSize = default })).DisposeAsync();
        Assert.Equal(made, Read());
        Assert.Equal(13, made!.PageBits);
        await Assert.ThrowsAsync<StoreOpenException>(() => Open(options with { PageSize = ByteSize.KiB(4) }));
    }

    [Fact]
    public async Task Only_what_the_store_has_written_is_removed()
    {
        await (await Open(new StoreOptions { CommitOnDispose = false })).DisposeAsync();
        string[] foreign = ["log.txt", "log.2024", "notes", "log.00000000000x", "log.000000000000.bak",
            "log.0000000000001", "index.1", "notes.new"];
        string[] ours = ["log.000000000000", "log.1000000000000", "index.000000000007", "snapshot.000000000007",
            "store.meta.new", "commits.new"];
        foreach (string name in (string[])[.. foreign, .. ours])
            File.WriteAllBytes(Path.Combine(_folder.Path, name), [1]);
        await (await Open(new StoreOptions { CommitOnDispose = false })).DisposeAsync();
        string[] left = [.. Directory.EnumerateFiles(_folder.Path).Select(path => Path.GetFileName(path)!)];
        Assert.Equal([.. foreign, "store.lock", "store.meta"], left.ToHashSet());
    }

    [Fact]
    public void Every_call_that_fails_is_a_typed_error_and_leaves_the_old_file_or_the_new_one()
    {
        for (int n = 1; ; n++)
        {
            using var folder = new TemporaryFolder();
            var calls = new NthCallFails(n);
            using FolderFiles files = FolderFiles.OpenFolder(folder.Path, unbuffered: true, calls);
            Exception? error = Record.Exception(() => Sample().Publish(files));
            if (!calls.Failed)
            {
                Assert.Null(error);
                Assert.Equal(
                    ["create store.meta.new", "empty store.meta.new", "write store.meta.new", "sync store.meta.new",
                        "rename store.meta.new store.meta", "folder"], calls.Log.Take(6));
                return;
            }

            Assert.IsType<StorageException>(error);
            bool published = File.Exists(Path.Combine(folder.Path, "store.meta"));
            if (published) Assert.Equal(Sample(), StoreMetadata.TryRead(files));
        }
    }

    private static StoreMetadata Sample() => new()
    {
        Engine = "AnEngine",
        Identity = 0x1122334455667788,
        Seed = new HashSeed(6, 7),
        Schema = Schema,
        PageBits = 14,
        SegmentBytes = 20480 * 3,
    };

    private void Publish(StoreMetadata metadata)
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        metadata.Publish(files);
    }

    private StoreMetadata? Read()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        return StoreMetadata.TryRead(files);
    }

    private Task<FasterStore> Open(StoreOptions options) => FasterStore.OpenAsync(
        _folder.Path, options, CounterOperations.Schema, default).AsTask();
}
