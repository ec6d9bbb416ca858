using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Faster.Persistence;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Persistence;

/// <summary>The file under a mapped region: creation, syncs by our own call, and what they report.</summary>
public sealed unsafe class MappedFileRegionTests : IDisposable
{
    private const int Length = 64 << 10;
    private const int IOError = 5;

    private readonly TemporaryFolder _folder = new(onDisk: true);
    private readonly FakeFileCalls _calls = new();
    private readonly FolderFiles _files;

    public MappedFileRegionTests() => _files = FolderFiles.OpenFolder(_folder.Path, true, _calls);

    private string PathOfRegion => Path.Combine(_folder.Path, "region");

    [Fact]
    public void Creation_syncs_the_file_and_the_folder()
    {
        using MappedFileRegion region = Create();
        Assert.Equal(1, _calls.Syncs);
        Assert.Equal(_folder.Path, _calls.FoldersSynced[0]);
        Assert.Equal(PathOfRegion, region.Name);
        Assert.Equal(Length, new FileInfo(PathOfRegion).Length);
        Assert.Equal(["region"], _files.List().Where(name => name.StartsWith("region", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_creation_that_fails_throws_and_leaves_no_region_that_is_not_durable(int step)
    {
        if (step == 0) _calls.OnTransfer = () => throw new IOException("No space left on device", 28);
        if (step == 1) _calls.OnSync = () => IOError;
        if (step == 2) _calls.OnSyncFolder = _ => IOError;
        Assert.Throws<StorageException>(() => Create());
        if (step != 2) Assert.False(File.Exists(PathOfRegion)); // else its name may be durable, and so is the content
    }

    [Fact]
    public void A_fence_syncs_the_pages_that_were_flushed_and_nothing_else()
    {
        int page = Environment.SystemPageSize;
        var synced = new List<long>();
        _calls.OnSyncMapped = bytes =>
        {
            synced.Add(bytes);
            return 0;
        };
        using MappedFileRegion region = Create();
        region.Fence();
        Assert.Empty(synced);
        region.Flush(page - 1, 2);
        region.Fence();
        region.Flush(5 * page, 1);
        region.Flush(3 * page, 1);
        region.Fence();
        Assert.Equal([2 * page, 3 * page], synced);
    }

    [Fact]
    public void A_failed_sync_is_fatal_and_never_retried()
    {
        int calls = 0;
        _calls.OnSyncMapped = _ => ++calls == 1 ? IOError : 0;
        using MappedFileRegion region = Create();
        region.Flush(0, 1);
        var error = Assert.Throws<StorageException>(region.Fence);
        Assert.Contains("error 5", error.Message, StringComparison.Ordinal);
        Assert.Contains(PathOfRegion, error.Message, StringComparison.Ordinal);
        region.Flush(0, 1);
        Assert.Throws<StorageException>(region.Fence);
        Assert.Equal(1, calls);
    }

    [LinuxFact("msync")]
    public void The_system_refuses_to_sync_memory_that_is_not_mapped_and_says_so() =>
        Assert.Equal(12, FileCalls.Real.SyncMapped(null!, 0, Environment.SystemPageSize)); // ENOMEM

    [Fact]
    public void A_file_of_another_length_is_damaged()
    {
        using (Create()) { }
        using (FileStream file = File.OpenWrite(PathOfRegion)) file.SetLength(Length - 1);
        var error = Assert.Throws<DamagedDataException>(() => Open());
        Assert.Equal(PathOfRegion, error.Path);
        Assert.Contains("65535", error.Message, StringComparison.Ordinal);
        File.Delete(PathOfRegion);
        Assert.Throws<DamagedDataException>(() => Open());
    }

    [Fact]
    public void A_region_that_grows_keeps_its_bytes_and_is_durable_before_it_is_mapped()
    {
        using (MappedFileRegion region = Create()) region.Pointer[17] = 1;
        int syncs = _calls.Syncs;
        Assert.Equal(3 * Length, MappedFileRegion.Grow(_files, "region", 3 * Length));
        Assert.Equal(syncs + 1, _calls.Syncs);
        Assert.Equal(3 * Length, MappedFileRegion.Grow(_files, "region", Length)); // one that is longer stays
        using MappedFileRegion grown = MappedFileRegion.Open(_files, "region", 3 * Length, _calls);
        Assert.Equal(1, grown.Pointer[17]);
        Assert.True(new ReadOnlySpan<byte>(grown.Pointer + Length, 2 * Length).IndexOfAnyExcept((byte)0) < 0);
        Assert.Throws<DamagedDataException>(() => MappedFileRegion.Grow(_files, "other", Length));
    }

    [Fact]
    public void A_growth_that_fails_leaves_the_region()
    {
        using (MappedFileRegion region = Create()) region.Pointer[17] = 1;
        _calls.OnTransfer = () => throw new IOException("No space left on device", 28);
        Assert.Throws<StorageException>(() => MappedFileRegion.Grow(_files, "region", 3 * Length));
        _calls.OnTransfer = null;
        _calls.OnSync = () => IOError;
        Assert.Throws<StorageException>(() => MappedFileRegion.Grow(_files, "region", 3 * Length));
        _calls.OnSync = null;
        using (FileStream file = File.OpenWrite(PathOfRegion)) file.SetLength(Length + 100); // as a crash may
        long length = MappedFileRegion.Grow(_files, "region", Length);
        Assert.Equal(Length + Environment.SystemPageSize, length);
        using MappedFileRegion region2 = MappedFileRegion.Open(_files, "region", length, _calls);
        Assert.Equal(1, region2.Pointer[17]);
    }

    [Fact]
    public void A_length_that_is_not_a_multiple_of_pages_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => MappedFileRegion.Create(_files, "region", 100));

    [Fact]
    public void Fenced_bytes_are_in_the_file()
    {
        using MappedFileRegion region = Create();
        region.Pointer[5000] = 17;
        region.Flush(5000, 1);
        region.Fence();
        Assert.Equal(17, File.ReadAllBytes(PathOfRegion)[5000]);
    }

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    private MappedFileRegion Create() => MappedFileRegion.Create(_files, "region", Length, _calls);

    private MappedFileRegion Open() => MappedFileRegion.Open(_files, "region", Length, _calls);
}
