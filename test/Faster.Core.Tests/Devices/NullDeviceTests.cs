using Faster.Devices;

namespace Faster.Tests.Devices;

public sealed class NullDeviceTests
{
    [Fact]
    public void Writes_vanish_and_reads_fail_with_a_typed_error()
    {
        using var driver = new DeviceDriver();
        using var device = new NullDevice();
        Assert.Null(DeviceDriver.Run(device, driver.Write(0, 4096))[0].Error);
        Assert.IsType<StorageException>(DeviceDriver.Run(device, driver.Read(0, 4096))[0].Error);
        Assert.IsType<StorageException>(DeviceDriver.Run(device, driver.Write(1, 4096))[0].Error);
        device.Sync();
        device.TruncateBelow(4096);
    }
}
