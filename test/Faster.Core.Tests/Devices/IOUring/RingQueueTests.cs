using Faster.Devices;
using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Devices.IOUring;

/// <summary>
/// What only a ring can do wrong: refusals, interrupted calls, odd results, wake-ups, queues of its own.
/// </summary>
public sealed class RingQueueTests : IDisposable
{
    private const int Segment = 64 << 10;
    private const int NotPermitted = 1, IOError = 5, NoMemory = 12, NoSpace = 28, NotImplemented = 38;

    private readonly TemporaryFolder _folder = new(onDisk: true);
    private readonly DeviceDriver _driver = new();
    private readonly FakeFileCalls _calls = new();

    [LinuxTheory("io_uring, which then is refused")]
    [InlineData(NotPermitted)]
    [InlineData(NotImplemented)]
    [InlineData(NoMemory)]
    public void Where_rings_are_refused_files_are_read_by_threads(int error)
    {
        _calls.Rings!.RefuseSetup = error;
        AssertReadByThreads(error);
    }

    [RingFact]
    public void Where_rings_can_be_made_but_not_entered_files_are_read_by_threads()
    {
        foreach (int error in new[] { NotPermitted, NotImplemented, NoMemory })
        {
            _calls.Rings!.RefuseEnter = error;
            AssertReadByThreads(error);
        }
    }

    [RingFact]
    public void An_old_kernel_is_refused_and_one_without_cooperation_does_without()
    {
        _calls.Rings!.LacksFeatures = RingLayout.FeatureWaitArgument;
        Assert.Equal(IOMode.RandomAccess, OpenAndClose(IOMode.Auto));
        _calls.Rings.LacksFeatures = 0;
        _calls.Rings.UnknownFlags = RingLayout.SetupCooperative;
        using SegmentedFileDevice device = Open();
        IOQueue queue = device.TryOpenQueue()!;
        device.CloseQueue(queue);
    }

    [RingFact]
    public void More_requests_than_the_ring_has_space_for_all_complete()
    {
        using SegmentedFileDevice device = Open();
        IORequest[] writes = [.. Enumerable.Range(0, 1000).Select(n => _driver.Write(n * 512L, 512))];
        Assert.All(DeviceDriver.Run(device, writes), w => Assert.Null(w.Error));
        IORequest[] reads = [.. writes.Select(w => _driver.Read(w.Offset, 512))];
        Assert.All(DeviceDriver.Run(device, reads), r => DeviceDriver.AssertContent(r));
    }

    [RingFact]
    public void Interrupted_and_overloaded_calls_are_made_again()
    {
        using SegmentedFileDevice device = Open();
        foreach (int error in new[] { DeviceErrors.InterruptedCall, DeviceErrors.TryAgain, DeviceErrors.Busy, 12 })
        {
            for (int i = 0; i < 3; i++) _calls.Rings!.RefuseSubmit.Enqueue(error);
            DeviceDriver.Run(device, _driver.Write(0, 512, error), _driver.Write(Segment, 512, error));
            DeviceDriver.AssertContent(DeviceDriver.Run(device, _driver.Read(Segment, 512))[0], error);
        }
    }

    [RingFact]
    public void A_call_that_is_refused_fails_its_requests_and_no_others()
    {
        using SegmentedFileDevice device = Open();
        _calls.Rings!.RefuseSubmit.Enqueue(DeviceErrors.InvalidArgument);
        IORequest[] writes = [_driver.Write(0, 512), _driver.Write(512, 512)];
        Assert.All(DeviceDriver.Run(device, writes), w => Assert.IsType<StorageException>(w.Error));
        Assert.All(DeviceDriver.Run(device, writes), w => Assert.Null(w.Error));
    }

    [RingFact]
    public void Interrupted_cancelled_and_short_transfers_go_on()
    {
        using SegmentedFileDevice device = Open();
        int turn = 0;
        _calls.Rings!.OnResult = (_, result) => (turn++ % 4) switch
        {
            0 => -DeviceErrors.TryAgain,
            1 => -DeviceErrors.Cancelled,
            2 => -DeviceErrors.InterruptedCall,
            _ => result > 1024 ? 1024 : result,
        };
        Assert.Null(DeviceDriver.Run(device, _driver.Write(512, 8192))[0].Error);
        DeviceDriver.AssertContent(DeviceDriver.Run(device, _driver.Read(512, 8192))[0]);
        Assert.True(turn > 32, $"{turn} results for 16 parts: the test shows nothing.");
    }

    [RingFact]
    public void Errors_are_those_of_blocking_calls()
    {
        using SegmentedFileDevice device = Open();
        DeviceDriver.Run(device, _driver.Write(Segment, 4096));
        _calls.Rings!.OnResult = (_, _) => -IOError;
        var error = Assert.IsType<StorageException>(
            DeviceDriver.Run(device, _driver.Read(Segment + 512, 512))[0].Error);
        Assert.Contains("offset 512", error.Message, StringComparison.Ordinal);
        Assert.Contains("log.000000000001", error.Message, StringComparison.Ordinal);
        Assert.True(error.MayRetry);
        _calls.Rings.OnResult = (_, _) => -NoSpace;
        error = Assert.IsType<StorageException>(DeviceDriver.Run(device, _driver.Write(Segment, 512))[0].Error);
        Assert.Contains("disk is full", error.Message, StringComparison.Ordinal);
        _calls.Rings.OnResult = (_, _) => 0;
        Assert.IsType<StorageException>(DeviceDriver.Run(device, _driver.Write(Segment, 512))[0].Error);
        Assert.IsType<DamagedDataException>(DeviceDriver.Run(device, _driver.Read(Segment, 512))[0].Error);
    }

    [RingFact]
    public void Truncation_under_way_leaves_every_request_whole_or_refused()
    {
        using SegmentedFileDevice device = Open();
        for (int round = 0; round < 20; round++)
        {
            long at = round * 2L * Segment;
            DeviceDriver.Run(device, _driver.Write(at, 4096), _driver.Write(at + Segment, 4096));
            IORequest[] reads = [.. Enumerable.Range(0, 8).Select(n => _driver.Read(at + (n * 512), 512))];
            device.Submit(reads);
            device.TruncateBelow(at + Segment);
            // Opens another file, which must not get what was begun for the one that is gone.
            DeviceDriver.RunWith(device, reads, _driver.Write(at + (2 * Segment), 4096, version: 7));
            Assert.All(reads, r => DeviceDriver.AssertContent(r));
            Assert.IsType<DamagedDataException>(DeviceDriver.Run(device, _driver.Read(at, 512))[0].Error);
        }
    }

    [RingFact]
    public void Requests_of_a_thread_that_has_ended_come_back()
    {
        using SegmentedFileDevice device = Open();
        for (int round = 0; round < 10; round++)
        {
            IORequest[] writes = [.. Enumerable.Range(0, 16).Select(n => _driver.Write(n * 4096L, 4096, round))];
            var thread = new Thread(() => device.Submit(writes));
            thread.Start();
            thread.Join();
            Assert.All(DeviceDriver.Collect(device, 16), w => Assert.Null(w.Error));
            DeviceDriver.AssertContent(DeviceDriver.Run(device, _driver.Read(4096, 4096))[0], round);
        }
    }

    [RingFact]
    public async Task No_wake_up_is_lost()
    {
        using SegmentedFileDevice device = Open();
        int turn = 0;
        const int rounds = 2000;
        var waiter = Task.Run(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                while (Volatile.Read(ref turn) == i) device.Wait(Timeout.InfiniteTimeSpan);
            }
        });
        for (int i = 1; i <= rounds; i++)
        {
            Volatile.Write(ref turn, i);
            device.Wake();
        }

        await waiter.WaitAsync(DeviceDriver.StallTimeout);
    }

    [RingFact]
    public async Task A_refused_request_ends_the_wait_of_another_thread()
    {
        using SegmentedFileDevice device = Open();
        for (int i = 0; i < 100; i++)
        {
            var waiter = Task.Run(() => device.Wait(Timeout.InfiniteTimeSpan));
            device.Submit([_driver.Read(1, 512)]);
            Assert.True(await waiter.WaitAsync(DeviceDriver.StallTimeout));
            DeviceDriver.Collect(device, 1);
        }
    }

    [RingFact]
    public void A_queue_of_its_own_begins_late_and_gets_no_completion_of_others()
    {
        using SegmentedFileDevice device = Open();
        DeviceDriver.Run(device, _driver.Write(0, 8192));
        IOQueue queue = device.TryOpenQueue()!;
        int submits = _calls.Rings!.Submits;
        IORequest[] reads = [.. Enumerable.Range(0, 8).Select(n => _driver.Read(n * 512, 512))];
        foreach (IORequest read in reads) queue.Add(read);
        Assert.Equal(submits, _calls.Rings.Submits);
        Assert.Equal(0, device.Poll(new IORequest[1]));
        Assert.True(queue.Wait(DeviceDriver.StallTimeout, wanted: 8));
        Assert.Equal(submits + 1, _calls.Rings.Submits);
        // A signal ends a wait early: what has come back by then is only a part.
        var taken = new HashSet<IORequest>();
        var batch = new IORequest[9];
        for (;;)
        {
            foreach (IORequest read in batch.AsSpan(0, queue.Poll(batch))) Assert.True(taken.Add(read));
            if (taken.Count == 8) break;
            Assert.True(queue.Wait(DeviceDriver.StallTimeout, wanted: 8 - taken.Count));
        }

        Assert.Equal(reads.ToHashSet(), taken);
        Assert.All(reads, r => DeviceDriver.AssertContent(r));
        device.CloseQueue(queue);
    }

    [RingFact]
    public async Task A_wake_ends_a_wait_for_many()
    {
        using SegmentedFileDevice device = Open();
        IOQueue queue = device.TryOpenQueue()!;
        var waiter = Task.Run(() => queue.Wait(Timeout.InfiniteTimeSpan, wanted: 16));
        queue.Wake();
        Assert.False(await waiter.WaitAsync(DeviceDriver.StallTimeout));
        device.CloseQueue(queue);
    }

    public void Dispose()
    {
        _folder.Dispose();
        _driver.Dispose();
    }

    private void AssertReadByThreads(int error)
    {
        using SegmentedFileDevice device = Open(IOMode.Auto);
        Assert.Equal(IOMode.RandomAccess, device.IOMode);
        Assert.Null(device.TryOpenQueue());
        DeviceDriver.Run(device, _driver.Write(0, 512));
        DeviceDriver.AssertContent(DeviceDriver.Run(device, _driver.Read(0, 512))[0]);
        var refused = Assert.Throws<StoreOpenException>(() => Open(IOMode.IoUring));
        Assert.Contains($"error {error}", refused.Message, StringComparison.Ordinal);
    }

    private IOMode OpenAndClose(IOMode io)
    {
        using SegmentedFileDevice device = Open(io);
        return device.IOMode;
    }

    private SegmentedFileDevice Open(IOMode io = IOMode.IoUring) =>
        new(_folder.Path, SegmentFiles.DefaultName, Segment, 512, 4, true, _calls, TimeSpan.FromSeconds(5), io);
}
