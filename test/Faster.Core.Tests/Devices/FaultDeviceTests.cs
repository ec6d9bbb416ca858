using Faster.Devices;

namespace Faster.Tests.Devices;

/// <summary>Without a plan a fault device is a device.</summary>
public sealed class FaultlessDeviceTests : DeviceTests
{
    protected override Device Create() => new FaultDevice(new MemoryDevice());
}

/// <summary>Held back and reordered completions are within the contract.</summary>
public sealed class ReorderingDeviceTests : DeviceTests
{
    protected override Device Create() => new FaultDevice(new MemoryDevice(), new FaultPlan { HoldBack = 5, Seed = 7 });
}

public sealed class FaultDeviceTests : IDisposable
{
    private readonly DeviceDriver _driver = new();
    private readonly FaultDevice _device = new(new MemoryDevice());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_nth_write_fails_once_or_from_then_on(bool persistent)
    {
        Arm(new Fault(FaultTarget.Write, 3, FaultFlavor.NoSpace, persistent));
        bool[] failed = [.. Enumerable.Range(0, 5)
            .Select(i => DeviceDriver.Run(_device, _driver.Write(i * 512, 512))[0].Error)
            .Select(e => e is StorageException { MayRetry: true })];
        Assert.Equal([false, false, true, persistent, persistent], failed);
        Assert.Equal(new FaultCounters(0, 5, 0, persistent ? 3 : 1, 0), _device.Counters);

        _device.Arm(FaultPlan.None);
        Assert.Null(DeviceDriver.Run(_device, _driver.Write(1024, 512))[0].Error);
    }

    [Fact]
    public void A_failed_write_leaves_the_bytes_alone()
    {
        DeviceDriver.Run(_device, _driver.Write(0, 1024));
        Arm(new Fault(FaultTarget.Write, 1));
        Assert.NotNull(DeviceDriver.Run(_device, _driver.Write(0, 1024, version: 1))[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(_device, _driver.Read(0, 1024))[0]);
    }

    [Fact]
    public unsafe void A_short_write_leaves_a_part_and_says_so()
    {
        DeviceDriver.Run(_device, _driver.Write(0, 2048));
        Arm(new Fault(FaultTarget.Write, 1, FaultFlavor.ShortTransfer));
        IORequest write = DeviceDriver.Run(_device, _driver.Write(0, 2048, version: 1))[0];
        Assert.IsType<StorageException>(write.Error);
        Assert.Equal(2048, write.Length);
        IORequest read = DeviceDriver.Run(_device, _driver.Read(0, 2048))[0];
        Assert.Equal(DeviceDriver.ByteAt(1023, 1), read.Buffer[1023]);
        Assert.Equal(DeviceDriver.ByteAt(1024, 0), read.Buffer[1024]);
    }

    [Theory]
    [InlineData(512)]
    [InlineData(2048)]
    public void A_short_read_is_an_error_of_the_whole_request(int length)
    {
        DeviceDriver.Run(_device, _driver.Write(0, length));
        Arm(new Fault(FaultTarget.Read, 1, FaultFlavor.ShortTransfer));
        IORequest read = DeviceDriver.Run(_device, _driver.Read(0, length))[0];
        Assert.IsType<DamagedDataException>(read.Error);
        Assert.Equal(length, read.Length);
        DeviceDriver.AssertContent(DeviceDriver.Run(_device, _driver.Read(0, length))[0]);
    }

    [Fact]
    public unsafe void A_flipped_bit_is_that_bit_at_each_read_that_covers_it()
    {
        DeviceDriver.Run(_device, _driver.Write(0, 4096));
        _device.Arm(new FaultPlan { BitFlips = [new BitFlip(700, 3)] });
        IORequest whole = DeviceDriver.Run(_device, _driver.Read(0, 4096))[0];
        Assert.Equal(DeviceDriver.ByteAt(700, 0) ^ 8, whole.Buffer[700]);
        whole.Buffer[700] ^= 8;
        DeviceDriver.AssertContent(whole);
        DeviceDriver.AssertContent(DeviceDriver.Run(_device, _driver.Read(1024, 512))[0]);
    }

    [Fact]
    public void A_failed_sync_is_reported_and_later_ones_are_counted()
    {
        Arm(new Fault(FaultTarget.Sync, 2));
        _device.Sync();
        Assert.Throws<IOException>(_device.Sync);
        Assert.Equal(0, _device.Counters.SyncsAfterFailure);
        _device.Sync();
        Assert.Equal(1, _device.Counters.SyncsAfterFailure);
    }

    [Fact]
    public void One_seed_gives_one_order_and_other_seeds_others()
    {
        List<long> Order(int seed)
        {
            using var device = new FaultDevice(new MemoryDevice(), new FaultPlan { HoldBack = 8, Seed = seed });
            IORequest[] writes = [.. Enumerable.Range(0, 20).Select(i => _driver.Write(i * 512, 512))];
            return [.. DeviceDriver.Run(device, writes).Select(r => r.Offset)];
        }

        Assert.Equal(Order(1), Order(1));
        Assert.NotEqual(Order(1), Order(2));
        Assert.NotEqual(Order(1), Order(1).Order());
    }

    public void Dispose()
    {
        _device.Dispose();
        _driver.Dispose();
    }

    private void Arm(Fault fault) => _device.Arm(new FaultPlan { Faults = [fault] });
}
