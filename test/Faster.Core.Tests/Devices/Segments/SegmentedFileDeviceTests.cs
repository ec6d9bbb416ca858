using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Tests.Devices.Folders;
using Xunit.Abstractions;

namespace Faster.Tests.Devices.Segments;

/// <summary>Segments, short and refused transfers, errors: the same whatever the way of transferring.</summary>
public abstract class SegmentedFileDeviceTests(IOMode io, ITestOutputHelper output) : IDisposable
{
    private protected const int Segment = 64 << 10;

    private readonly TemporaryFolder _folder = new(onDisk: true);

    private protected DeviceDriver Driver { get; } = new();

    private protected FakeFileCalls Calls { get; } = new();

    private protected string Folder => _folder.Path;

    [Fact]
    public void Nothing_is_touched_before_the_first_write_and_files_are_named_by_segment()
    {
        using SegmentedFileDevice device = Open();
        Assert.IsType<DamagedDataException>(DeviceDriver.Run(device, Driver.Read(0, 512))[0].Error);
        device.TruncateBelow(0);
        device.Sync();
        Assert.False(Directory.Exists(_folder.Path));
        DeviceDriver.Run(device, Driver.Write(0, 512), Driver.Write(11L * Segment, 1024));
        Assert.Equal(["log.000000000000", "log.000000000011"], Files());
        Assert.Equal(1024, new FileInfo(FileOf(11)).Length);
        output.WriteLine($"Unbuffered: {device.IsUnbuffered}.");
    }

    [Fact]
    public void A_request_across_a_boundary_is_refused_and_touches_nothing()
    {
        using SegmentedFileDevice device = Open();
        var error = Assert.IsType<StorageException>(
            DeviceDriver.Run(device, Driver.Write(Segment - 512, 1024))[0].Error);
        Assert.Contains("boundary", error.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_folder.Path));
    }

    [Fact]
    public void Bytes_survive_the_device()
    {
        using (SegmentedFileDevice device = Open())
        {
            DeviceDriver.Run(device, Driver.Write(0, 4096), Driver.Write(Segment, 4096));
            device.Sync();
        }

        using SegmentedFileDevice again = Open();
        DeviceDriver.AssertContent(DeviceDriver.Run(again, Driver.Read(Segment, 4096))[0]);
        DeviceDriver.AssertContent(DeviceDriver.Run(again, Driver.Read(0, 4096))[0]);
    }

    [Fact]
    public void Of_many_segments_a_few_are_open_and_none_is_lost()
    {
        const int most = 4, segments = 40;
        using SegmentedFileDevice device = Open(mostOpen: most);
        for (int i = 0; i < segments; i++)
        {
            DeviceDriver.Run(device, Driver.Write((long)i * Segment, 4096));
            Assert.InRange(device.OpenFiles, 1, most);
        }

        Assert.InRange(Descriptors(), 1, most);
        device.Sync();
        for (int i = segments - 1; i >= 0; i--)
        {
            DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read((long)i * Segment, 4096))[0]);
            Assert.InRange(device.OpenFiles, 1, most);
        }

        Assert.InRange(Descriptors(), 1, most);
    }

    [Fact]
    public void The_segment_that_is_used_stays_open()
    {
        using SegmentedFileDevice device = Open(mostOpen: 3);
        DeviceDriver.Run(device, Driver.Write(0, 512));
        File.Delete(FileOf(0)); // to open it again would find nothing
        for (int i = 1; i < 10; i++)
        {
            device.Sync(); // what has nothing to sync is closed first
            DeviceDriver.Run(device, Driver.Write((long)i * Segment, 512));
            DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read(0, 512))[0]);
        }
    }

    [Fact]
    public void A_segment_that_is_closed_unsynced_is_synced_first()
    {
        const int segments = 9;
        using SegmentedFileDevice device = Open(mostOpen: 2);
        for (int i = 0; i < segments; i++) DeviceDriver.Run(device, Driver.Write((long)i * Segment, 512));
        Assert.Equal(segments - 2, Calls.Syncs);
        device.Sync();
        Assert.Equal(segments, Calls.Syncs);
        device.Sync();
        Assert.Equal(segments, Calls.Syncs);
    }

    [Fact]
    public void A_sync_that_failed_when_a_segment_was_closed_is_told_by_the_next_one()
    {
        using SegmentedFileDevice device = Open(mostOpen: 1);
        DeviceDriver.Run(device, Driver.Write(0, 512));
        Calls.OnSync = () => 5;
        DeviceDriver.Run(device, Driver.Write(Segment, 512));
        Calls.OnSync = null;
        Assert.False(Assert.Throws<StorageException>(device.Sync).MayRetry);
    }

    [Fact]
    public void More_segments_than_may_be_open_are_transferred_at_once()
    {
        const int segments = 60;
        using SegmentedFileDevice device = Open(mostOpen: 2);
        DeviceDriver.Run(device, [.. Enumerable.Range(0, segments).Select(i => Driver.Write((long)i * Segment, 4096))]);
        IORequest[] asked = [.. Enumerable.Range(0, segments).Select(i => Driver.Read((long)i * Segment, 4096))];
        List<IORequest> reads = DeviceDriver.Run(device, asked);
        Assert.All(reads, read => DeviceDriver.AssertContent(read));
        device.Sync();
        Assert.Equal(segments, Calls.Syncs);
    }

    [Fact]
    public void A_folder_that_is_gone_is_not_made_again()
    {
        using SegmentedFileDevice device = Open();
        DeviceDriver.Run(device, Driver.Write(0, 512));
        Directory.Delete(Folder, recursive: true);
        Assert.IsType<StorageException>(DeviceDriver.Run(device, Driver.Write(Segment, 512))[0].Error);
        Assert.False(Directory.Exists(Folder));
        Directory.CreateDirectory(Folder);
    }

    [Fact]
    public void A_deleted_segment_is_damage_that_names_the_file()
    {
        using (SegmentedFileDevice device = Open()) DeviceDriver.Run(device, Driver.Write(Segment, 512));
        File.Delete(FileOf(1));
        using SegmentedFileDevice again = Open();
        var error = Assert.IsType<DamagedDataException>(DeviceDriver.Run(again, Driver.Read(Segment, 512))[0].Error);
        Assert.Equal(FileOf(1), error.Path);
        Assert.Contains(FileOf(1), error.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(FileOf(1)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_file_cut_inside_a_sector_is_damage(bool unbuffered)
    {
        using SegmentedFileDevice device = Open(unbuffered);
        DeviceDriver.Run(device, Driver.Write(0, 4096));
        using (var file = new FileStream(FileOf(0), FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
            file.SetLength(1500);
        Assert.IsType<DamagedDataException>(DeviceDriver.Run(device, Driver.Read(0, 4096))[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read(0, 1024))[0]);
    }

    [Theory]
    [InlineData(true, 1024)]
    [InlineData(true, 700)]
    [InlineData(false, 100)]
    public void Short_system_reads_are_continued(bool unbuffered, int atMost)
    {
        using SegmentedFileDevice device = Open(unbuffered);
        DeviceDriver.Run(device, Driver.Write(0, 8192));
        // 700 bytes at a time cannot be had unbuffered, so this pretends that the request was cut, not made shorter.
        if (unbuffered && atMost % 512 != 0) Calls.OnSetUnbuffered = _ => 0;
        Calls.ReadAtMost = atMost;
        using SegmentedFileDevice fresh = Open(unbuffered);
        DeviceDriver.AssertContent(DeviceDriver.Run(fresh, Driver.Read(512, 4096))[0]);
    }

    [Fact]
    public void A_file_system_that_refuses_to_be_unbuffered_is_used_through_the_cache()
    {
        Calls.OnSetUnbuffered = _ => DeviceErrors.InvalidArgument;
        using SegmentedFileDevice device = Open();
        Assert.Equal(!OperatingSystem.IsMacOS(), device.IsUnbuffered);
        DeviceDriver.Run(device, Driver.Write(0, 4096));
        DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read(0, 4096))[0]);
        if (!OperatingSystem.IsWindows()) Assert.False(device.IsUnbuffered);
    }

    [UnbufferedFact]
    public void A_disk_that_refuses_unbuffered_transfers_is_used_through_the_cache()
    {
        using SegmentedFileDevice device = Open();
        DeviceDriver.Run(device, Driver.Write(0, 4096));
        bool direct = true;
        Calls.OnSetUnbuffered = on =>
        {
            direct = on;
            return 0;
        };
        Calls.OnTransfer = () =>
        {
            if (direct) throw new IOException("Invalid argument", DeviceErrors.InvalidArgument);
        };
        Assert.True(device.IsUnbuffered);
        DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read(0, 4096))[0]);
        Assert.False(device.IsUnbuffered);
    }

    [UnbufferedFact]
    public void The_realCalls_turn_direct_transfers_on_and_off()
    {
        using SegmentedFileDevice device = Open();
        DeviceDriver.Run(device, Driver.Write(0, 512));
        bool unbuffered = true;
        using var handle = FileCalls.Real.Open(FileOf(0), false, ref unbuffered);
        Assert.True(unbuffered);
        var odd = new byte[100];
        Assert.Throws<IOException>(() => FileCalls.Real.Read(handle, odd, 100));
        Assert.Equal(0, FileCalls.Real.SetUnbuffered(handle, false));
        Assert.Equal(100, FileCalls.Real.Read(handle, odd, 100));
    }

    [Fact]
    public void Io_errors_name_the_file_and_the_device_goes_on()
    {
        using SegmentedFileDevice device = Open();
        Calls.OnTransfer = () => throw new IOException("Input/output error", 5);
        var error = Assert.IsType<StorageException>(
            DeviceDriver.Run(device, Driver.Write(Segment + 512, 512))[0].Error);
        Assert.Contains(FileOf(1), error.Message, StringComparison.Ordinal);
        Assert.Contains("offset 512", error.Message, StringComparison.Ordinal);
        Calls.OnTransfer = null;
        Assert.Null(DeviceDriver.Run(device, Driver.Write(Segment + 512, 512))[0].Error);
    }

    [Fact]
    public void A_folder_that_is_a_file_is_a_storage_error()
    {
        File.WriteAllText(_folder.Path, "");
        using (SegmentedFileDevice device = Open())
            Assert.IsType<StorageException>(DeviceDriver.Run(device, Driver.Write(0, 512))[0].Error);
        File.Delete(_folder.Path);
    }

    [Fact]
    public void Truncation_deletes_whole_segments_also_those_of_an_earlier_process()
    {
        using (SegmentedFileDevice before = Open())
            DeviceDriver.Run(before, [.. Enumerable.Range(0, 4).Select(i => Driver.Write(i * Segment, 512))]);
        File.WriteAllText(Path.Combine(_folder.Path, "log.txt"), "not ours");
        using SegmentedFileDevice device = Open();
        DeviceDriver.Run(device, Driver.Read(0, 512));
        device.TruncateBelow(2 * Segment + 512);
        Assert.Equal(["log.000000000002", "log.000000000003", "log.txt"], Files());
    }

    [Fact]
    public void Dispose_ends_the_requests_inside_and_closes_the_files()
    {
        SegmentedFileDevice device = Open();
        IORequest[] writes = [.. Enumerable.Range(0, 100).Select(n => Driver.Write(n * 512, 512))];
        device.Submit(writes);
        device.Dispose();
        Assert.Equal(0, device.Workers);
        Assert.Equal(100, DeviceDriver.Collect(device, 100).Count(r => r.Error is null));
        Assert.Throws<ObjectDisposedException>(() => device.Submit(writes));
        device.Dispose();
    }

    [Theory]
    [InlineData(0, 512)]
    [InlineData(1000, 512)]
    [InlineData(512, 4096)]
    [InlineData(4096, 100)]
    public void Absurd_sizes_are_refused(long segmentSize, int sectorSize) => Assert.ThrowsAny<ArgumentException>(
        () => new SegmentedFileDevice(_folder.Path, segmentSize, sectorSize));

    public void Dispose()
    {
        _folder.Dispose();
        Driver.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected SegmentedFileDevice Open(bool unbuffered = true, int mostOpen = SegmentFiles.DefaultMostOpen) =>
        new(
            _folder.Path, SegmentFiles.DefaultName, Segment, 512, 4, unbuffered, Calls, TimeSpan.FromSeconds(5), io,
            mostOpen: mostOpen);

    // What the system says.
    private int Descriptors() => !OperatingSystem.IsLinux()
        ? 1
        : Directory.EnumerateFileSystemEntries("/proc/self/fd").Count(number =>
            new FileInfo(number).LinkTarget is { } file && file.StartsWith(_folder.Path, StringComparison.Ordinal));

    private string FileOf(long segment) => Path.Combine(_folder.Path, $"log.{segment:D12}");

    private IEnumerable<string?> Files() => Directory.EnumerateFiles(_folder.Path).Select(Path.GetFileName).Order();
}
