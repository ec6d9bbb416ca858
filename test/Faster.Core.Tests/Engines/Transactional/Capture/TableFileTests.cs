using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines.Transactional.Capture;
using Faster.LogCommits;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Engines.Transactional.Capture;

/// <summary>The file of a table: its bytes, what is read again, and what is refused.</summary>
public sealed class TableFileTests : IDisposable
{
    private const ulong Store = 77;
    private const int InFile = 32; // where the stream begins, after the header

    private static readonly RecordSchema
        Words = new(8, 8, 8, "key", "number"), Texts = new(0, 0, 0, "bytes", "bytes");

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly CommitFolder _of;

    public TableFileTests()
    {
        _files = FolderFiles.OpenFolder(_folder.Path);
        _of = new CommitFolder(_files, Store, new CommitCatalog(_files, Store));
    }

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void Fixed_sizes_are_not_written()
    {
        FileReference file = Write(Words, ([1, 2, 3, 4, 5, 6, 7, 8], [9, 9, 9, 9, 9, 9, 9, 9]));
        Assert.Equal("table.000000000005", file.FileName);
        Assert.Equal(
            [16, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0], Bytes(file, 24));
    }

    [Fact]
    public void Other_sizes_come_before_what_they_are_of()
    {
        FileReference file = Write(Texts, ([7], []), ([], [5, 6]));
        Assert.Equal(
            [19, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 5, 6, 0, 0, 0, 0], Bytes(file, 27));
        Assert.Equal(["7:", ":5,6"], Read(Texts, file));
    }

    [Fact]
    public void Sections_are_read_again()
    {
        var copies = new RecordCopies(Words);
        using (ChecksummedFileWriter writer = TableFile.Create(_of, 5))
        {
            for (byte i = 0; i < 3; i++)
            {
                copies.Clear();
                for (byte j = 0; j < i; j++) copies.Add([i, j, 0, 0, 0, 0, 0, 0], new byte[8]);
                TableFile.Write(writer, copies); // of the first nothing is written
            }

            FileReference file = TableFile.Complete(writer, 5);
            Assert.Equal(3, Read(Words, file).Length);
        }
    }

    [Fact]
    public void Sections_that_hold_no_records_are_refused()
    {
        FileReference file = Write(Texts, ([1, 2], [3]));
        using ChecksummedFileReader reader = TableFile.Open(_of, file);
        var copies = new RecordCopies(Words); // of 16 bytes each: the section has 11
        Assert.True(TableFile.TryRead(reader, copies));
        Assert.Throws<InvalidDataException>(() => copies.TryTake(out _));
    }

    [Fact]
    public void A_section_longer_than_the_file_is_refused()
    {
        using ChecksummedFileWriter writer = TableFile.Create(_of, 5);
        writer.Write(BitConverter.GetBytes(1 << 20));
        var file = new FileReference("table.000000000005", writer.Identity, writer.Complete());
        using ChecksummedFileReader reader = TableFile.Open(_of, file);
        var e = Assert.Throws<DamagedDataException>(() => TableFile.TryRead(reader, new RecordCopies(Words)));
        Assert.Contains("the length of a section", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Bytes_after_the_end_are_refused()
    {
        using ChecksummedFileWriter writer = TableFile.Create(_of, 5);
        writer.Write(BitConverter.GetBytes(0));
        writer.Write([1]);
        var file = new FileReference("table.000000000005", writer.Identity, writer.Complete());
        using ChecksummedFileReader reader = TableFile.Open(_of, file);
        Assert.Throws<DamagedDataException>(() => TableFile.TryRead(reader, new RecordCopies(Words)));
    }

    private FileReference Write(RecordSchema schema, params (byte[] Key, byte[] Value)[] records)
    {
        var copies = new RecordCopies(schema);
        foreach ((byte[] key, byte[] value) in records) copies.Add(key, value);
        using ChecksummedFileWriter writer = TableFile.Create(_of, 5);
        TableFile.Write(writer, copies);
        return TableFile.Complete(writer, 5);
    }

    private string[] Read(RecordSchema schema, FileReference file)
    {
        var copies = new RecordCopies(schema);
        var records = new List<string>();
        using ChecksummedFileReader reader = TableFile.Open(_of, file);
        while (TableFile.TryRead(reader, copies))
        {
            while (copies.TryTake(out RecordView record))
                records.Add($"{string.Join(',', record.Key.ToArray())}:{string.Join(',', record.Value.ToArray())}");
        }

        return [.. records];
    }

    private byte[] Bytes(FileReference file, int count) =>
        [.. File.ReadAllBytes(Path.Combine(_folder.Path, file.FileName)).Skip(InFile).Take(count)];
}
