using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.HashChunks;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.HashChunks;

/// <summary>The directory of hash chunks in a file: what is read is what was written, or damage is found.</summary>
public sealed class DirectoryFileTests : IDisposable
{
    private const ulong Store = 7;
    private const long Chunks = 10_000, Begin = 4096, End = 1 << 20;

    private static readonly CommittedLog Log = new()
    {
        BeginAddress = Begin, FlushedUntilAddress = End, StartAddress = End, EndAddress = End,
        Incarnations = [new Incarnation(0, 1)],
    };

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;

    public DirectoryFileTests() => _files = FolderFiles.OpenFolder(_folder.Path);

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void A_written_directory_is_read_again()
    {
        FileReference reference = Write(AddressOf);
        using var read = new ChunkDirectory(Chunks);
        DirectoryFile.Read(_files, reference, Store, read, Log);
        for (long chunk = 0; chunk < Chunks; chunk++) Assert.Equal(AddressOf(chunk), read.AddressOf(chunk));
    }

    [Theory]
    [InlineData(Begin - 8, false)]
    [InlineData(Begin, true)]
    [InlineData(End - 8, true)]
    [InlineData(End, false)]
    [InlineData(Begin + 1, false)]
    [InlineData(-8, false)]
    public void An_address_outside_the_log_is_damage(long address, bool isSound)
    {
        FileReference reference = Write(chunk => chunk == 5000 ? address : AddressOf(chunk));
        using var read = new ChunkDirectory(Chunks);
        if (isSound)
        {
            DirectoryFile.Read(_files, reference, Store, read, Log);
            Assert.Equal(address, read.AddressOf(5000));
            return;
        }

        DamagedDataException damage = Assert.Throws<DamagedDataException>(
            () => DirectoryFile.Read(_files, reference, Store, read, Log));
        Assert.Contains("chunk 5000 lies at", damage.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_directory_of_another_number_of_chunks_is_refused()
    {
        FileReference reference = Write(AddressOf);
        using var read = new ChunkDirectory(Chunks - 1);
        DamagedDataException damage = Assert.Throws<DamagedDataException>(
            () => DirectoryFile.Read(_files, reference, Store, read, Log));
        Assert.Contains("10000 chunks", damage.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_of_another_store_or_another_commit_is_refused()
    {
        FileReference reference = Write(AddressOf);
        using var read = new ChunkDirectory(Chunks);
        Assert.Throws<DamagedDataException>(() => DirectoryFile.Read(_files, reference, Store + 1, read, Log));
        FileReference older = reference with { Identity = reference.Identity ^ 1 };
        Assert.Throws<DamagedDataException>(() => DirectoryFile.Read(_files, older, Store, read, Log));
    }

    private static long AddressOf(long chunk) => chunk % 3 == 0 ? 0 : Begin + (chunk * 96);

    private FileReference Write(Func<long, long> addressOf)
    {
        string name = StoreFileNames.Directory(3);
        using var directory = new ChunkDirectory(Chunks);
        for (long chunk = 0; chunk < Chunks; chunk++) directory.Restore(chunk, addressOf(chunk));
        return DirectoryFile.Write(_files, name, Store, directory);
    }
}
