using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Checkpoints.Files;

/// <summary>
/// A checksummed file that is read in any order gives back what was written, and no byte that is damaged.
/// </summary>
public sealed unsafe class ChecksummedFileViewTests : IDisposable
{
    private const ulong Store = 0x1122334455667788;
    private const int Content = 30_000; // 60 blocks

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly byte[] _content = new byte[Content];
    private readonly ulong _identity;
    private readonly long _length;

    public ChecksummedFileViewTests()
    {
        TestSeed.NewRandom().NextBytes(_content);
        _files = FolderFiles.OpenFolder(_folder.Path);
        using var writer = new ChecksummedFileWriter(_files, "s1", ChecksummedFileKind.Snapshot, Store);
        writer.Write(_content);
        (_identity, _length) = (writer.Identity, writer.Complete());
    }

    private string FilePath => Path.Combine(_folder.Path, "s1");

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData(1)]        // a sector
    [InlineData(4097)]     // two
    [InlineData(1 << 20)]  // all of the file
    public void Any_bytes_are_read_in_any_order(int windowBytes)
    {
        using var window = new ChecksummedWindow(windowBytes);
        Assert.Equal(0, window.Bytes % 4096);
        Assert.InRange(window.Bytes, windowBytes, windowBytes + 4095);
        using ChecksummedFileView view = Open(window), other = Open(window); // by turns
        Random random = TestSeed.NewRandom();
        for (int i = 0; i < 300; i++)
        {
            int at = random.Next(Content), length = random.Next(Math.Min(Content - at, i % 3 == 0 ? 5000 : 20) + 1);
            Assert.Equal(_content[at..(at + length)], Read(i % 5 == 0 ? other : view, at, length));
        }

        Assert.Equal(BitConverter.ToInt64(_content, 470), view.Read<long>(470)); // in two blocks
    }

    [Fact]
    public void Data_behind_the_end_is_refused_at_its_place()
    {
        using var window = new ChecksummedWindow(4096);
        using ChecksummedFileView view = Open(window);
        int end = (int)((_length / 512 * 504) - 32); // the last sector is filled with zeros
        Assert.Equal(new byte[end - Content], Read(view, Content, end - Content));
        foreach ((int at, int length) in new[] { (end, 1), (end - 3, 4), (0, end + 1), (end + 5, 1) })
        {
            var error = Assert.Throws<DamagedDataException>(() => Read(view, at, length));
            Assert.Contains("ends before", error.Message, StringComparison.Ordinal);
            Assert.Equal(((at + 32) / 504 * 512) + ((at + 32) % 504), error.Offset);
        }

        Assert.Equal(_content[^4..], Read(view, Content - 4, 4)); // a call that was refused changes nothing
    }

    [Fact]
    public void A_damaged_block_is_found_by_reads_near_it_and_by_no_other()
    {
        const int Damaged = 40; // the block
        Flip((Damaged * 512) + 7);
        using var window = new ChecksummedWindow(4096);
        using ChecksummedFileView view = Open(window);
        int at = (Damaged * 504) - 32;
        for (int i = 0; i < 2; i++)
        {
            Assert.Equal(_content[..504], Read(view, 0, 504));
            Assert.Equal(_content[(at - 4096)..(at - 4000)], Read(view, at - 4096, 96));
            var error = Assert.Throws<DamagedDataException>(() => Read(view, at, 1));
            Assert.Equal((FilePath, Damaged * 512), (error.Path, error.Offset));
        }
    }

    [Fact]
    public void The_first_block_is_looked_at_before_its_seal_and_trusted_only_after()
    {
        Flip(100);
        using var window = new ChecksummedWindow(4096);
        var error = Assert.Throws<DamagedDataException>(() => Open(window));
        Assert.Equal(0, error.Offset);
        Assert.Contains("checksum", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Another_length_kind_version_store_or_file_is_refused_by_name()
    {
        ChecksummedFileKind kind = ChecksummedFileKind.Snapshot;
        Refused(kind, Store, _identity, _length - 4096, $"{_length} bytes");
        Refused(ChecksummedFileKind.Index, Store, _identity, _length, "magic number");
        Refused(kind with { Version = 2 }, Store, _identity, _length, "version is 1");
        Refused(kind, Store + 1, _identity, _length, "another store");
        Refused(kind, Store, _identity + 1, _length, "block");
        using var free = new ChecksummedWindow(4096);
        Open(free).Dispose();

        void Refused(ChecksummedFileKind other, ulong store, ulong file, long length, string words)
        {
            using var window = new ChecksummedWindow(4096);
            var error = Assert.Throws<DamagedDataException>(
                () => new ChecksummedFileView(_files, "s1", other, store, file, length, window));
            Assert.Contains(words, error.Message, StringComparison.Ordinal);
        }
    }

    private ChecksummedFileView Open(ChecksummedWindow window) =>
        new(_files, "s1", ChecksummedFileKind.Snapshot, Store, _identity, _length, window);

    private static byte[] Read(ChecksummedFileView view, long at, int length)
    {
        byte[] bytes = new byte[length];
        fixed (byte* to = bytes) view.Read(at, to, length);
        return bytes;
    }

    private void Flip(int at)
    {
        byte[] bytes = File.ReadAllBytes(FilePath);
        bytes[at] ^= 4;
        File.WriteAllBytes(FilePath, bytes);
    }
}
