using Faster.Contracts;
using Faster.Devices;
using Faster.Tests.Devices;

namespace Faster.Tests.Store;

/// <summary>The lock, and the metadata: what is written is accepted, anything else is refused and says why.</summary>
public sealed class StoreFolderTests : IDisposable
{
    private static readonly RecordSchema Schema = new(8, 8, 0, "long", "bytes");
    private readonly TemporaryFolder _folder = new();

    private string MetadataPath => Path.Combine(_folder.Path, "store.meta");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_folder_that_was_begun_can_be_begun_again()
    {
        Begin(Schema);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        Begin(Schema);
        Assert.Equal(bytes, File.ReadAllBytes(MetadataPath));
        Assert.False(File.Exists(MetadataPath + ".new"));
    }

    [Fact]
    public void The_bytes_are_those_of_the_page_that_draws_them()
    {
        Begin(Schema);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        Assert.Equal("FASTERNT"u8.ToArray(), bytes[..8]);
        Assert.Equal(1, BitConverter.ToInt32(bytes, 8));
        Assert.Equal(bytes.Length, BitConverter.ToInt32(bytes, 12));
        Assert.Equal(0x1122334455667788UL, BitConverter.ToUInt64(bytes, 16));
        Assert.Equal(5, BitConverter.ToInt32(bytes, 24));
        Assert.Equal(14, BitConverter.ToInt32(bytes, 28));
        Assert.Equal((6UL, 7UL), (BitConverter.ToUInt64(bytes, 32), BitConverter.ToUInt64(bytes, 40)));
        Assert.Equal([8, 8, 0], Enumerable.Range(0, 3).Select(i => BitConverter.ToInt32(bytes, 48 + (4 * i))));
        Assert.Equal([4, .. "long"u8, 5, .. "bytes"u8], bytes[60..^4]);
        Assert.Equal(75, bytes.Length);
    }

    [Fact]
    public void A_change_of_any_byte_is_detected()
    {
        Begin(Schema);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        for (int i = 0; i < bytes.Length; i++)
        {
            for (int bit = 0; bit < 8; bit++)
            {
                bytes[i] ^= (byte)(1 << bit);
                File.WriteAllBytes(MetadataPath, bytes);
                var error = Assert.Throws<DamagedDataException>(() => Begin(Schema));
                Assert.Equal(MetadataPath, error.Path);
                bytes[i] ^= (byte)(1 << bit);
            }
        }
    }

    [Fact]
    public void Any_truncation_and_any_addition_is_detected()
    {
        Begin(Schema);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        for (int length = 0; length < bytes.Length; length++)
        {
            File.WriteAllBytes(MetadataPath, bytes[..length]);
            Assert.Throws<DamagedDataException>(() => Begin(Schema));
        }

        File.WriteAllBytes(MetadataPath, [.. bytes, 0]);
        Assert.Throws<DamagedDataException>(() => Begin(Schema));
    }

    [Fact]
    public void An_unknown_version_is_refused_by_both_numbers()
    {
        Begin(Schema);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        bytes[8] = 9;
        File.WriteAllBytes(MetadataPath, bytes);
        var error = Assert.Throws<DamagedDataException>(() => Begin(Schema));
        Assert.Contains("version is 9", error.Message, StringComparison.Ordinal);
        Assert.Contains("version 1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Another_schema_is_refused_by_its_types_and_nothing_is_changed()
    {
        Begin(Schema);
        byte[] bytes = File.ReadAllBytes(MetadataPath);
        string segment = Path.Combine(_folder.Path, "log.000000000000");
        File.WriteAllBytes(segment, [1]);
        var error = Assert.Throws<StoreOpenException>(() => Begin(Schema with { ValueType = "int" }));
        Assert.Contains("long → bytes", error.Message, StringComparison.Ordinal);
        Assert.Contains("long → int", error.Message, StringComparison.Ordinal);
        Assert.Throws<StoreOpenException>(() => Begin(Schema with { KeySlotSize = 16 }));
        Assert.Equal(bytes, File.ReadAllBytes(MetadataPath));
        Assert.True(File.Exists(segment));
    }

    [Fact]
    public void Only_segments_are_removed()
    {
        Begin(Schema);
        string[] foreign = ["log.txt", "log.2024", "notes", "log.00000000000x", "log.000000000000.bak"];
        foreach (string name in (string[])[.. foreign, "log.000000000000", "log.1000000000000"])
            File.WriteAllBytes(Path.Combine(_folder.Path, name), [1]);
        Begin(Schema);
        string[] left = [.. Directory.EnumerateFiles(_folder.Path).Select(path => Path.GetFileName(path)!)];
        Assert.Equal([.. foreign, "store.lock", "store.meta"], left.ToHashSet());
    }

    [Fact]
    public void A_second_opener_is_refused_until_the_first_has_closed()
    {
        using (StoreFolder.Open(_folder.Path))
        {
            var error = Assert.Throws<StoreOpenException>(() => StoreFolder.Open(_folder.Path));
            Assert.Contains("open already", error.Message, StringComparison.Ordinal);
        }

        StoreFolder.Open(_folder.Path).Dispose();
    }

    [Fact]
    public void A_file_is_no_folder()
    {
        Directory.CreateDirectory(_folder.Path);
        string file = Path.Combine(_folder.Path, "file");
        File.WriteAllBytes(file, []);
        var error = Assert.Throws<StoreOpenException>(() => StoreFolder.Open(file));
        Assert.Contains("is a file", error.Message, StringComparison.Ordinal);
    }

    private void Begin(RecordSchema schema)
    {
        using StoreFolder folder = StoreFolder.Open(_folder.Path);
        folder.Begin(schema, new HashSeed(6, 7), new BlockSeal(0x1122334455667788, 5), pageBits: 14);
    }
}
