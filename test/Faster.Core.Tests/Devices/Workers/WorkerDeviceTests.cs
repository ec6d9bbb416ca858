using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Segments;
using Xunit.Abstractions;

namespace Faster.Tests.Devices.Workers;

/// <summary>Segments by blocking calls, and the threads that make them.</summary>
public sealed class WorkerDeviceTests(ITestOutputHelper output)
    : SegmentedFileDeviceTests(IOMode.RandomAccess, output)
{
    [Fact]
    public void Idle_workers_end_and_new_ones_start()
    {
        using var device = new SegmentedFileDevice(
            Folder, SegmentFiles.DefaultName, Segment, 512, 4, true, Calls, TimeSpan.FromMilliseconds(1),
            IOMode.RandomAccess);
        for (int i = 0; i < 3; i++)
        {
            DeviceDriver.Run(device, [.. Enumerable.Range(0, 16).Select(n => Driver.Write(n * 512, 512))]);
            Assert.InRange(device.Workers, 0, 4);
            Assert.True(SpinWait.SpinUntil(() => device.Workers == 0, DeviceDriver.StallTimeout));
        }
    }

    [Fact]
    public void Workers_reach_the_depth_that_was_asked_for()
    {
        using var all = new CountdownEvent(8);
        using var device = new SegmentedFileDevice(
            Folder, SegmentFiles.DefaultName, Segment, 512, 8, true, Calls, TimeSpan.FromSeconds(5),
            IOMode.RandomAccess);
        Calls.OnTransfer = () =>
        {
            all.Signal();
            if (!all.Wait(DeviceDriver.StallTimeout)) throw new IOException("The transfers did not run side by side.");
        };
        IORequest[] writes = [.. Enumerable.Range(0, 8).Select(n => Driver.Write(n * 512, 512))];
        foreach (IORequest write in writes) device.Submit([write]);
        Assert.All(DeviceDriver.Collect(device, 8), r => Assert.Null(r.Error));
        Assert.Equal(8, device.Workers);
    }
}
