using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Fuzzing;

namespace Faster.Tests.Checkpoints.Files;

/// <summary>What no file of metadata can be, whatever its checksum says, is refused by name and place.</summary>
public sealed class MetadataFileTests
{
    private static readonly MetadataKind Kind = MetadataKind.Expiries;

    [Fact]
    public void Numbers_and_texts_come_back_in_their_order()
    {
        var reader = new MetadataReader(Kind, "file", Bytes(7, "ab"));
        Assert.Equal((7L, "ab"), (reader.Next<long>(), reader.NextText()));
        reader.End();
    }

    [Fact]
    public void Another_length_than_the_file_has_is_refused()
    {
        byte[] bytes = Bytes(7, "ab");
        bytes[MetadataReader.LengthAt]++;
        BitConverter.TryWriteBytes(bytes.AsSpan(^4), MetadataReader.Checksum(bytes));
        AssertRefused(bytes, static _ => { }, MetadataReader.LengthAt, $"{bytes.Length + 1} bytes");
    }

    [Fact]
    public void Another_version_is_refused_and_both_are_named()
    {
        byte[] bytes = Bytes(7, "ab");
        bytes[8]++;
        AssertRefused(
            NewChecksums.Metadata(bytes), static _ => { }, 8,
            $"is {Kind.Version + 1}; this library reads version {Kind.Version}.");
    }

    [Fact]
    public void Data_after_the_content_is_refused()
    {
        byte[] bytes = Bytes(7, "ab");
        AssertRefused(bytes, static reader => reader.End(), 16, "something follows");
    }

    [Fact]
    public void Half_a_character_and_a_text_beyond_the_end_are_refused()
    {
        byte[] bytes = Bytes(7, "ab");
        bytes[24] = 3;
        AssertRefused(NewChecksums.Metadata(bytes), ReadText, 24, "half a character");
        bytes[24] = 10;
        AssertRefused(NewChecksums.Metadata(bytes), ReadText, 24, "number of bytes of a text of 10");

        static void ReadText(MetadataReader reader)
        {
            _ = reader.Next<long>();
            _ = reader.NextText();
        }
    }

    [Fact]
    public void A_file_that_is_too_short_for_anything_is_refused() =>
        AssertRefused([1, 2, 3], static _ => { }, 0, "magic number");

    [Fact]
    public void A_file_that_is_longer_than_any_is_refused_before_it_is_read()
    {
        using var folder = new TemporaryFolder();
        using FolderFiles files = FolderFiles.OpenFolder(folder.Path);
        string path = Path.Combine(folder.Path, "store.meta");
        const long Length = (long)MetadataKind.MaxBytes + 1;
        using (FileStream file = File.Create(path)) file.SetLength(Length); // a hole
        var error = Assert.Throws<DamagedDataException>(
            () => MetadataFile.Read(files, "store.meta", MetadataKind.Store, out _));
        Assert.Contains($"{Length} bytes", error.Message, StringComparison.Ordinal);
    }

    private static byte[] Bytes(long number, string text)
    {
        var writer = new MetadataWriter(Kind);
        writer.Add(number);
        writer.Add(text);
        return writer.End();
    }

    private static void AssertRefused(byte[] bytes, Action<MetadataReader> read, long offset, string words)
    {
        var error = Assert.Throws<DamagedDataException>(() => read(new MetadataReader(Kind, "file", bytes)));
        Assert.Contains(words, error.Message, StringComparison.Ordinal);
        Assert.Equal(("file", offset), (error.Path, error.Offset));
    }
}
