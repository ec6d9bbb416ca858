using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Operations.Waiting;

namespace Faster.Tests.Devices;

/// <summary>
/// What every device that keeps bytes must do. Segments, where there are any, are <see cref="Segment"/> long.
/// </summary>
public abstract class DeviceTests : IDisposable
{
    protected const int Segment = 256 << 10;

    private protected DeviceDriver Driver { get; } = new();

    protected Device Device { get; }

    protected DeviceTests() => Device = Create();

    protected abstract Device Create();

    [Theory]
    [InlineData(0, 512)]
    [InlineData(512, 512)]
    [InlineData(4096, 65536)]
    [InlineData(Segment - 512, 512)]
    [InlineData(5L * Segment, Segment)]
    public void Bytes_written_are_read_back(long offset, int length)
    {
        Assert.Null(DeviceDriver.Run(Device, Driver.Write(offset, length))[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(Device, Driver.Read(offset, length))[0]);
    }

    [Fact]
    public void Writes_out_of_order_and_over_each_other_leave_the_last()
    {
        long[] offsets = [8192, 0, 4096, 2 * Segment, 512, Segment];
        IORequest[] writes = [.. offsets.Select(o => Driver.Write(o, 512))];
        Assert.All(DeviceDriver.Run(Device, writes), r => Assert.Null(r.Error));
        DeviceDriver.Run(Device, Driver.Write(512, 512, version: 1));
        DeviceDriver.AssertContent(DeviceDriver.Run(Device, Driver.Read(512, 512))[0], version: 1);
        foreach (long offset in offsets.Where(o => o != 512))
            DeviceDriver.AssertContent(DeviceDriver.Run(Device, Driver.Read(offset, 512))[0]);
    }

    [Fact]
    public void Bytes_between_writes_read_as_zero()
    {
        DeviceDriver.Run(Device, Driver.Write(8192, 512));
        IORequest read = DeviceDriver.Run(Device, Driver.Read(4096, 512))[0];
        Assert.Null(read.Error);
        Assert.True(Span(read).IndexOfAnyExcept((byte)0) < 0);
    }

    [Fact]
    public void A_read_behind_the_last_write_is_damage()
    {
        DeviceDriver.Run(Device, Driver.Write(0, 1024));
        var error = Assert.IsType<DamagedDataException>(DeviceDriver.Run(Device, Driver.Read(512, 1024))[0].Error);
        Assert.Equal(1024, error.Offset);
        Assert.IsType<DamagedDataException>(DeviceDriver.Run(Device, Driver.Read(7L * Segment, 512))[0].Error);
    }

    [Theory]
    [InlineData(1, 512, 0)]
    [InlineData(0, 100, 0)]
    [InlineData(0, 0, 0)]
    [InlineData(-512, 512, 0)]
    [InlineData(0, -512, 0)]
    [InlineData(0, 512, 8)]
    public unsafe void Misaligned_requests_fail_and_come_back_once(long offset, int length, int shift)
    {
        foreach (IOKind kind in Enum.GetValues<IOKind>())
        {
            IORequest request = Driver.Request(kind, offset, length);
            request.Buffer += shift;
            var error = Assert.IsType<StorageException>(DeviceDriver.Run(Device, request)[0].Error);
            Assert.False(error.MayRetry);
        }
    }

    [Fact]
    public void A_request_without_buffer_is_refused_and_a_reused_one_forgets_its_error()
    {
        IORequest request = Driver.Write(0, 512);
        var refused = new IORequest { Kind = IOKind.Write, Length = 512 };
        request.Error = new InvalidOperationException("of an earlier use");
        Assert.Equal(1, DeviceDriver.Run(Device, request, refused).Count(r => r.Error is StorageException));
        Assert.Null(request.Error);
    }

    [Fact]
    public void Threads_share_a_device_and_every_request_comes_back_once()
    {
        const int threads = 4, each = 100;
        IORequest[][] writes = [.. Enumerable.Range(0, threads).Select(t => Enumerable.Range(0, each)
            .Select(i => Driver.Write((t * each + i) * 4096L, 4096)).ToArray())];
        var completed = new List<IORequest>();
        int left = threads * each;
        Parallel.Invoke([.. writes.Select(w => (Action)(() =>
        {
            for (int i = 0; i < w.Length; i += 10) Device.Submit(w.AsSpan(i, 10));
            var batch = new IORequest[3];
            while (Volatile.Read(ref left) > 0)
            {
                int taken = Device.Poll(batch);
                lock (completed) completed.AddRange(batch.AsSpan(0, taken));
                if (Interlocked.Add(ref left, -taken) <= 0) Device.Wake();
                else if (taken == 0) Device.Wait(TimeSpan.FromMilliseconds(50));
            }

            Device.Wake();
        }))]);
        Assert.Equal(threads * each, completed.Distinct().Count());
        Assert.Equal(threads * each, completed.Count);
        Assert.All(completed, r => Assert.Null(r.Error));
        IORequest[] reads = [.. completed.Select(w => Driver.Read(w.Offset, w.Length))];
        Assert.All(DeviceDriver.Run(Device, reads), r => DeviceDriver.AssertContent(r));
    }

    [Fact]
    public void Truncation_drops_the_bytes_below_and_keeps_the_rest()
    {
        for (int i = 0; i < 4; i++) DeviceDriver.Run(Device, Driver.Write(i * (long)Segment, 4096));
        Device.TruncateBelow(2L * Segment);
        Device.TruncateBelow(Segment); // never goes back
        var error = Assert.IsType<DamagedDataException>(DeviceDriver.Run(Device, Driver.Read(Segment, 512))[0].Error);
        Assert.Contains("truncated", error.Message, StringComparison.Ordinal);
        Assert.NotNull(DeviceDriver.Run(Device, Driver.Write(0, 512))[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(Device, Driver.Read(2L * Segment, 4096))[0]);
        DeviceDriver.AssertContent(DeviceDriver.Run(Device, Driver.Read(3L * Segment, 4096))[0]);
        Device.Sync();
    }

    [Fact]
    public void A_truncation_inside_a_segment_keeps_the_segment()
    {
        DeviceDriver.Run(Device, Driver.Write(Segment, 8192));
        Device.TruncateBelow(Segment + 4096);
        DeviceDriver.AssertContent(DeviceDriver.Run(Device, Driver.Read(Segment, 8192))[0]);
    }

    [Fact]
    public async Task A_wake_ends_one_wait_before_or_after()
    {
        Device.Wake();
        Assert.False(Device.Wait(DeviceDriver.StallTimeout));
        Assert.False(Device.Wait(TimeSpan.FromMilliseconds(1)));
        var waiter = Task.Run(() => Device.Wait(DeviceDriver.StallTimeout));
        Device.Wake();
        Assert.False(await waiter.WaitAsync(DeviceDriver.StallTimeout / 2));
    }

    [Fact]
    public async Task A_completion_ends_a_wait()
    {
        var waiter = Task.Run(() => Device.Wait(DeviceDriver.StallTimeout));
        Device.Submit([Driver.Write(0, 512)]);
        Assert.True(await waiter.WaitAsync(DeviceDriver.StallTimeout / 2));
        DeviceDriver.Collect(Device, 1);
    }

    [Fact]
    public void Sync_succeeds_with_and_without_writes()
    {
        Device.Sync();
        DeviceDriver.Run(Device, Driver.Write(0, 512));
        Device.Sync();
        Device.Sync();
    }

    public virtual void Dispose()
    {
        Device.Dispose();
        Driver.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected static unsafe Span<byte> Span(IORequest request) => new(request.Buffer, request.Length);
}
