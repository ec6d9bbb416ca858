using System.Diagnostics;
using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Xunit.Abstractions;

namespace Faster.Tests.Checkpoints.Files;

/// <summary>Checksummed files give back what was written, and every wrong byte is found, with its place.</summary>
public sealed unsafe class ChecksummedFileTests(ITestOutputHelper output) : IDisposable
{
    private const ulong Store = 0x1122334455667788;
    private const int Buffer = 8192; // small ones, so that a small file has many
    private readonly TemporaryFolder _folder = new();

    private string FilePath => Path.Combine(_folder.Path, "snapshot.1");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(471)]       // fills the first block
    [InlineData(472)]
    [InlineData(473)]
    [InlineData(4000)]      // the last of the first sector
    [InlineData(4001)]
    [InlineData(8032)]      // fills the first buffer
    [InlineData(8033)]
    [InlineData(100_000)]
    public void Written_bytes_are_read(int length)
    {
        byte[] bytes = Bytes(length);
        (ulong identity, long fileBytes) = Write(bytes, piece: 100);
        Assert.Equal(0, fileBytes % 4096);
        Assert.Equal(new FileInfo(FilePath).Length, fileBytes);
        Assert.Equal(bytes, Read(identity, fileBytes, length, piece: 77));
        Assert.Equal(bytes, Read(identity, fileBytes, length, piece: 10_000));
    }

    [Fact]
    public void The_first_bytes_are_those_of_the_page_that_draws_them()
    {
        (ulong identity, _) = Write(Bytes(10), piece: 10);
        byte[] bytes = File.ReadAllBytes(FilePath);
        Assert.Equal("FASTERSN"u8.ToArray(), bytes[..8]);
        Assert.Equal(1, BitConverter.ToInt32(bytes, 8));
        Assert.Equal(0, BitConverter.ToInt32(bytes, 12));
        Assert.Equal(Store, BitConverter.ToUInt64(bytes, 16));
        Assert.Equal(identity, BitConverter.ToUInt64(bytes, 24));
        Assert.Equal(Bytes(10), bytes[32..42]);
        Assert.Equal(1, BitConverter.ToInt32(bytes, 508));
        Assert.Equal(4096, bytes.Length);
    }

    [Fact]
    public void A_flipped_bit_is_found_where_it_is()
    {
        byte[] content = Bytes(5000);
        (ulong identity, long length) = Write(content, piece: 5000);
        byte[] bytes = File.ReadAllBytes(FilePath);
        int step = (43 / TestBudget.Times(1)) | 1; // odd: all bits of a byte by turns
        for (int bit = 0; bit < bytes.Length * 8; bit += step)
        {
            int i = bit / 8;
            byte flip = (byte)(1 << (bit % 8));
            bytes[i] ^= flip;
            File.WriteAllBytes(FilePath, bytes);
            bytes[i] ^= flip;
            var error = Assert.Throws<DamagedDataException>(() => Read(identity, length, content.Length, 5000));
            Assert.Equal(FilePath, error.Path);
            Assert.Equal(i / 512, error.Offset / 512);
        }
    }

    [Fact]
    public void Every_other_length_is_refused()
    {
        (ulong identity, long length) = Write(Bytes(20_000), piece: 20_000);
        byte[] bytes = File.ReadAllBytes(FilePath);
        foreach (int cut in (int[])[0, 1, 512, 4096, bytes.Length - 4096, bytes.Length - 1])
        {
            File.WriteAllBytes(FilePath, bytes[..cut]);
            var error = Assert.Throws<DamagedDataException>(() => Read(identity, length, 20_000, 20_000));
            Assert.Equal(cut, error.Offset);
        }

        File.WriteAllBytes(FilePath, [.. bytes, 0]);
        Assert.Throws<DamagedDataException>(() => Read(identity, length, 20_000, 20_000));
        File.WriteAllBytes(FilePath, bytes);
        foreach (long wrong in (long[])[0, -4096, 1, length + 1])
            Assert.Throws<DamagedDataException>(() => Read(identity, wrong, 20_000, 20_000));
        foreach (int whole in (int[])[0, 512, 5000]) // no file that was written is so long
        {
            File.WriteAllBytes(FilePath, bytes[..whole]);
            var error = Assert.Throws<DamagedDataException>(() => Read(identity, whole, 20_000, 20_000));
            Assert.Contains("no such file ends there", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Swapped_blocks_are_found()
    {
        (ulong identity, long length) = Write(Bytes(20_000), piece: 20_000);
        byte[] bytes = File.ReadAllBytes(FilePath);
        byte[] third = bytes[1024..1536];
        bytes.AsSpan(2048, 512).CopyTo(bytes.AsSpan(1024));
        third.CopyTo(bytes.AsSpan(2048));
        File.WriteAllBytes(FilePath, bytes);
        Assert.Equal(
            1024, Assert.Throws<DamagedDataException>(() => Read(identity, length, 20_000, 20_000)).Offset);
    }

    [Fact]
    public void Another_kind_version_store_or_file_is_refused_by_name()
    {
        (ulong identity, long length) = Write(Bytes(10), piece: 10);
        Refused(ChecksummedFileKind.Index, Store, identity, "magic number", 0);
        ChecksummedFileKind newer = ChecksummedFileKind.Snapshot with { Version = 2 };
        Refused(newer, Store, identity, "version is 1", 8);
        Refused(newer, Store, identity, "reads version 2", 8);
        Refused(ChecksummedFileKind.Snapshot, Store + 1, identity, "another store", 16);
        Refused(ChecksummedFileKind.Snapshot, Store, identity + 1, "block", 0);

        void Refused(ChecksummedFileKind kind, ulong store, ulong file, string words, long offset)
        {
            using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
            var error = Assert.Throws<DamagedDataException>(
                () => new ChecksummedFileReader(files, "snapshot.1", kind, store, file, length));
            Assert.Contains(words, error.Message, StringComparison.Ordinal);
            Assert.Equal(offset, error.Offset);
        }
    }

    [Fact]
    public void Flags_that_are_not_known_and_another_file_are_refused_by_name()
    {
        ChecksummedFileKind kind = ChecksummedFileKind.Snapshot;
        ChecksummedFileHeader header = ChecksummedFileHeader.Of(kind, Store, file: 5);
        header.CheckOwner(kind, "snapshot.1", Store, 5);
        Refused(header with { Reserved = 1 }, "flags", 12);
        Refused(header with { Store = Store + 1 }, "another store", 16);
        Refused(header with { File = 6 }, "another file", 24);

        void Refused(ChecksummedFileHeader wrong, string words, long offset)
        {
            var error = Assert.Throws<DamagedDataException>(() => wrong.CheckOwner(kind, "snapshot.1", Store, 5));
            Assert.Contains(words, error.Message, StringComparison.Ordinal);
            Assert.Equal(offset, error.Offset);
        }
    }

    [Fact]
    public void A_content_that_is_shorter_or_longer_than_expected_is_found()
    {
        (ulong identity, long length) = Write(Bytes(9000), piece: 9000);
        Assert.Throws<DamagedDataException>(() => Read(identity, length, 8999, 100));
        Assert.Throws<DamagedDataException>(() => Read(identity, length, 100, 100));
        Assert.Throws<DamagedDataException>(() => Read(identity, length, 20_000, 100));

        (identity, length) = Write(new byte[9000], piece: 9000); // no more than zeros
        Assert.Throws<DamagedDataException>(() => Read(identity, length, 4000, 100));
        Assert.Throws<DamagedDataException>(() => Read(identity, length, 8032, 100)); // a whole sector more
        _ = Read(identity, length, 8033, 100);
    }

    [Fact]
    public void Nothing_is_written_to_a_file_that_is_complete()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        using var writer = new ChecksummedFileWriter(files, "snapshot.1", ChecksummedFileKind.Snapshot, Store, Buffer);
        writer.Write(Bytes(10));
        long length = writer.Complete();
        Assert.Throws<ObjectDisposedException>(() => writer.Write(Bytes(10)));
        Assert.Throws<ObjectDisposedException>(() => writer.Complete());
        Assert.Equal(length, new FileInfo(FilePath).Length);
    }

    [Fact]
    public void Every_call_that_fails_is_a_typed_error_and_nothing_is_reported_durable()
    {
        byte[] content = Bytes(50_000);
        for (int n = 1; ; n++)
        {
            var calls = new NthCallFails(n);
            using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
            Exception? error = Record.Exception(() => Write(files, content, 1000));
            if (!calls.Failed)
            {
                Assert.Null(error);
                Assert.Equal("sync snapshot.1", calls.Log[^1]);
                return;
            }

            Assert.IsType<StorageException>(error);
        }
    }

    [Fact]
    public void Every_read_that_fails_is_a_typed_error()
    {
        byte[] content = Bytes(50_000);
        (ulong identity, long length) = Write(content, piece: 1000);
        for (int n = 1; ; n++)
        {
            var calls = new NthCallFails(n);
            using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
            Exception? error = Record.Exception(() => Read(files, identity, length, content.Length, 1000));
            if (!calls.Failed) break;
            Assert.IsType<StorageException>(error);
        }
    }

    [Fact]
    public void A_large_file_is_read_as_it_was_written()
    {
        const int Size = 24 << 20;
        byte[] content = Bytes(Size);
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        for (int i = 0; i < 2; i++)
        {
            long start = Stopwatch.GetTimestamp();
            using var writer = new ChecksummedFileWriter(files, "snapshot.1", ChecksummedFileKind.Snapshot, Store);
            writer.Write(content);
            long length = writer.Complete();
            TimeSpan written = Stopwatch.GetElapsedTime(start);
            byte[] read = new byte[Size];
            start = Stopwatch.GetTimestamp();
            using var reader = new ChecksummedFileReader(
                files, "snapshot.1", ChecksummedFileKind.Snapshot, Store, writer.Identity, length);
            reader.Read(read);
            TimeSpan wasRead = Stopwatch.GetElapsedTime(start);
            output.WriteLine(
                $"write {Size / written.TotalSeconds / 1e9:F2} GB/s, read {Size / wasRead.TotalSeconds / 1e9:F2} GB/s");
            Assert.True(content.AsSpan().SequenceEqual(read));
        }
    }

    private static byte[] Bytes(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        for (int i = 0; i < bytes.Length; i++) bytes[i] |= 1; // never 0: no part of it is taken for padding
        return bytes;
    }

    private (ulong Identity, long Length) Write(byte[] bytes, int piece)
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        return Write(files, bytes, piece);
    }

    private static (ulong Identity, long Length) Write(StoreFiles files, byte[] bytes, int piece)
    {
        using var writer = new ChecksummedFileWriter(files, "snapshot.1", ChecksummedFileKind.Snapshot, Store, Buffer);
        for (int at = 0; at < bytes.Length; at += piece)
            writer.Write(bytes.AsSpan(at, Math.Min(piece, bytes.Length - at)));
        Assert.Equal(bytes.Length, writer.Position);
        return (writer.Identity, writer.Complete());
    }

    private byte[] Read(ulong identity, long length, int count, int piece)
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        return Read(files, identity, length, count, piece);
    }

    private static byte[] Read(StoreFiles files, ulong identity, long length, int count, int piece)
    {
        using var reader = new ChecksummedFileReader(
            files, "snapshot.1", ChecksummedFileKind.Snapshot, Store, identity, length, Buffer);
        byte[] bytes = new byte[count];
        for (int at = 0; at < count; at += piece) reader.Read(bytes.AsSpan(at, Math.Min(piece, count - at)));
        reader.ReadToEnd();
        return bytes;
    }
}
