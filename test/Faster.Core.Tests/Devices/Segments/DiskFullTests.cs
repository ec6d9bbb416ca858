using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Tests.Faults;
using Xunit.Abstractions;

namespace Faster.Tests.Devices.Segments;

/// <summary>A full disk: a small tmpfs where we may mount one, a memory device of small capacity otherwise.</summary>
public sealed class DiskFullTests : IDisposable
{
    private const int Segment = 64 << 10;

    private static readonly ByteSize Capacity = ByteSize.KiB(256);

    private readonly SmallDisk _disk = new(Capacity);
    private readonly DeviceDriver _driver = new();

    public DiskFullTests(ITestOutputHelper output) => output.WriteLine(
        _disk.IsMounted ? "Ran on a tmpfs of 256 KiB." : "Ran on a memory device: no right to mount.");

    [Fact]
    public void Disk_full_is_an_error_that_ends_when_space_is_freed()
    {
        using Device device = _disk.IsMounted
            ? new SegmentedFileDevice(_disk.Path, Segment)
            : new MemoryDevice(Capacity);
        IORequest? refused = null;
        int written = 0;
        for (; refused is null && written < 64; written++)
        {
            IORequest write = DeviceDriver.Run(device, _driver.Write(written * 16384L, 16384))[0];
            if (write.Error is not null) refused = write;
        }

        written--;
        Assert.NotNull(refused);
        var error = Assert.IsType<StorageException>(refused.Error);
        Assert.True(error.MayRetry);
        Assert.Contains("Free space", error.Message, StringComparison.Ordinal);
        Assert.InRange(written, 8, 16);
        for (int i = 0; i < written; i++)
            DeviceDriver.AssertContent(DeviceDriver.Run(device, _driver.Read(i * 16384L, 16384))[0]);

        device.TruncateBelow(Segment);
        Assert.Null(DeviceDriver.Run(device, refused)[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(device, _driver.Read(refused.Offset, 16384))[0]);
        device.Sync();
    }

    public void Dispose()
    {
        _disk.Dispose();
        _driver.Dispose();
    }
}
