using Faster.Devices;

namespace Faster.Tests.Devices;

public sealed class MemoryDeviceTests : DeviceTests
{
    protected override Device Create() => new MemoryDevice();

    [Fact]
    public void Above_its_capacity_the_disk_is_full_until_truncation_frees_some()
    {
        using var device = new MemoryDevice(ByteSize.KiB(128));
        DeviceDriver.Run(device, Driver.Write(0, 128 << 10));
        Assert.Equal(ByteSize.KiB(128), device.Held);
        IORequest above = Driver.Write(128 << 10, 512);
        var error = Assert.IsType<StorageException>(DeviceDriver.Run(device, above)[0].Error);
        Assert.True(error.MayRetry);
        Assert.Contains("Free space", error.Message, StringComparison.Ordinal);
        DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read(64 << 10, 64 << 10))[0]);

        device.TruncateBelow(64 << 10);
        Assert.Equal(ByteSize.KiB(64), device.Held);
        Assert.Null(DeviceDriver.Run(device, above)[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(device, Driver.Read(128 << 10, 512))[0]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(256)]
    [InlineData(768)]
    [InlineData(131072)]
    public void Absurd_sectors_are_refused(int sectorSize) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new MemoryDevice(sectorSize: sectorSize));
}
