using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Tests.Devices;

namespace Faster.Tests.Log;

/// <summary>Flushing by address: parts of pages, in order, no block twice, failed ones kept.</summary>
public sealed class PageFlusherTests
{
    [Fact]
    public void Random_freezes_flush_every_byte_and_no_block_twice()
    {
        TestSeed.Run(30, seed =>
        {
            int sector = seed % 3 == 2 ? 4096 : 512, part = seed % 2 == 0 ? 4096 : 8192;
            var faults = new FaultDevice(
                new MemoryDevice(sectorSize: sector), new FaultPlan { HoldBack = 3, Seed = seed });
            using var device = new RecordingDevice(faults);
            using var log = new PumpedLog(device, partBytes: part);
            Dictionary<long, (long Key, int Bytes)> written = RunRandomly(log, new Random(seed));
            long end = log.FlushAll();
            Assert.All(written, record => AssertOnDevice(log, record.Key, record.Value));
            BlockGeometry geometry = log.Storage.Geometry;
            long blocks = end % geometry.PageBytes == 0
                ? (end >> PumpedLog.PageBits) * geometry.BlocksPerPage
                : geometry.Map(end, 1, sector).FirstBlock;
            Assert.Equal(blocks, device.Written.Count);
        });
    }

    [Fact]
    public void Threads_that_step_and_one_that_polls_flush_every_byte_and_no_block_twice()
    {
        TestSeed.Run(10, seed =>
        {
            var faults = new FaultDevice(new MemoryDevice(), new FaultPlan { HoldBack = 3, Seed = seed });
            using var device = new RecordingDevice(faults);
            using var log = new PumpedLog(device, residentPages: 64, parts: 4);
            bool isOver = false;
            Thread[] steppers = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
            {
                while (!Volatile.Read(ref isOver)) log.Flusher.TryStep();
            }))];
            foreach (Thread stepper in steppers) stepper.Start();
            Dictionary<long, (long Key, int Bytes)> written;
            long end;
            try
            {
                written = RunRandomly(log, new Random(seed));
                end = log.Log.ShiftReadOnlyToTail();
                while (log.Log.FlushedUntilAddress < end) log.PumpAll();
            }
            finally
            {
                Volatile.Write(ref isOver, true);
                foreach (Thread stepper in steppers) stepper.Join();
            }

            Assert.All(written, record => AssertOnDevice(log, record.Key, record.Value));
            BlockGeometry geometry = log.Storage.Geometry;
            long blocks = end % geometry.PageBytes == 0
                ? (end >> PumpedLog.PageBits) * geometry.BlocksPerPage
                : geometry.Map(end, 1, device.SectorSize).FirstBlock;
            Assert.Equal(blocks, device.Written.Count);
        });
    }

    [Fact]
    public void A_write_that_completes_out_of_order_counts_after_all_before_it()
    {
        var inner = new MemoryDevice();
        using var held = new HeldDevice(inner);
        using var log = new PumpedLog(held);
        log.Append(1, 400);
        log.Log.ShiftReadOnlyToTail();
        Assert.True(log.TakeTurn());
        log.Append(2, 400);
        log.Log.ShiftReadOnlyToTail();
        Assert.True(log.TakeTurn());
        Assert.Equal(2, held.Count);
        held.Release(1);
        log.TakeTurn();
        Assert.Equal(0, log.Log.FlushedUntilAddress);
        held.Release(0);
        log.TakeTurn();
        Assert.Equal(log.Log.TailAddress, log.Log.FlushedUntilAddress);
    }

    [Fact]
    public async Task Failed_parts_are_kept_and_written_when_a_retry_is_asked_for()
    {
        var faults = new FaultDevice(new MemoryDevice());
        using var device = new RecordingDevice(faults);
        using var log = new PumpedLog(device);
        faults.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Write, 2, FaultFlavor.NoSpace, true)] });
        long first = log.Append(1, 400), end1 = log.Log.ShiftReadOnlyToTail();
        log.PumpAll();
        long second = log.Append(2, 400), end2 = log.Log.ShiftReadOnlyToTail();
        log.PumpAll();
        Assert.Equal((end1, true), (log.Log.FlushedUntilAddress, log.Flusher.HasFailed));

        Task again = log.Flusher.RetryAsync(default);
        Assert.False(again.IsCompleted);
        log.PumpAll();
        StorageException failure = await Assert.ThrowsAsync<StorageException>(() => again);
        Assert.True(failure.MayRetry);
        Assert.Contains("memory", failure.Message, StringComparison.Ordinal);

        faults.Arm(FaultPlan.None);
        Task flushed = log.Log.Gate.WaitForAsync(() => log.Log.FlushedUntilAddress >= end2, default);
        again = log.Flusher.RetryAsync(default);
        log.PumpAll();
        await again;
        await flushed;
        Assert.False(log.Flusher.HasFailed);
        await log.Flusher.RetryAsync(default); // nothing to try
        AssertOnDevice(log, first, (1, 400));
        AssertOnDevice(log, second, (2, 400));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_part_that_fails_for_the_first_time_is_no_outcome_of_a_retry_that_others_wait_for(bool blocks)
    {
        using var device = new HeldDevice(new MemoryDevice());
        using var log = new PumpedLog(device);
        AppendTwoParts(log);
        device.Fail(0);
        log.TakeTurn();
        Task again = AskAgain(log, blocks); // begins, while the second part is under way for the first time
        log.TakeTurn();
        device.Fail(0);
        log.TakeTurn();
        Assert.False(again.IsCompleted);
        device.Release(0);
        log.TakeTurn();
        await again; // of the first part, which is written
        Assert.True(log.Flusher.HasFailed);
        again = AskAgain(log, blocks);
        log.TakeTurn();
        device.Release(0);
        log.TakeTurn();
        await again;
        Assert.Equal((log.Log.TailAddress, false), (log.Log.FlushedUntilAddress, log.Flusher.HasFailed));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task The_failure_of_a_retry_is_no_outcome_of_one_that_is_asked_for_later(bool blocks)
    {
        using var device = new HeldDevice(new MemoryDevice());
        using var log = new PumpedLog(device);
        AppendTwoParts(log);
        device.Fail(0);
        device.Fail(0);
        log.TakeTurn();
        Task early = AskAgain(log, blocks);
        log.TakeTurn();
        Assert.Equal(2, device.Count);
        Task late = AskAgain(log, blocks);
        device.Fail(0);
        device.Release(0);
        log.TakeTurn();
        await Assert.ThrowsAsync<StorageException>(() => early);
        Assert.False(late.IsCompleted);
        Assert.Equal(1, device.Count); // the turn has begun the later one
        device.Release(0);
        log.TakeTurn();
        await late;
        Assert.Equal((log.Log.TailAddress, false), (log.Log.FlushedUntilAddress, log.Flusher.HasFailed));
    }

    [Fact]
    public async Task A_retry_that_has_nothing_left_to_do_has_succeeded()
    {
        using var device = new HeldDevice(new MemoryDevice());
        using var log = new PumpedLog(device);
        AppendTwoParts(log);
        device.Fail(0);
        log.TakeTurn();
        Task early = AskAgain(log, blocks: false);
        log.TakeTurn();
        Task late = AskAgain(log, blocks: true);
        device.Release(1);
        device.Release(0);
        log.TakeTurn();
        await early;
        await late;
        Assert.False(log.Flusher.HasFailed);
    }

    private static void AppendTwoParts(PumpedLog log)
    {
        for (long key = 1; key <= 2; key++)
        {
            log.Append(key, 400);
            log.Log.ShiftReadOnlyToTail();
            Assert.True(log.TakeTurn());
        }
    }

    // Returns when the retry has been asked for, which wakes the device.
    private static Task AskAgain(PumpedLog log, bool blocks)
    {
        if (!blocks) return log.Flusher.RetryAsync(default);
        var device = (HeldDevice)log.Storage.Device;
        int wakes = device.Wakes;
        Task again = Task.Factory.StartNew(
            log.Flusher.ThrowIfFailedAgain, CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        Assert.True(SpinWait.SpinUntil(() => device.Wakes != wakes, TimeSpan.FromSeconds(30)));
        return again;
    }

    private static Dictionary<long, (long Key, int Bytes)> RunRandomly(PumpedLog log, Random random)
    {
        var written = new Dictionary<long, (long, int)>();
        for (long key = 0; key < 120; key++)
        {
            int bytes = random.Next(4) == 0 ? random.Next(3500) : random.Next(300);
            written[log.Append(key, bytes)] = (key, bytes);
            if (random.Next(3) == 0) log.Log.ShiftReadOnlyToTail();
            if (random.Next(8) == 0) log.Log.PadTail();
            for (int turns = random.Next(3); turns > 0; turns--) log.TakeTurn();
        }

        return written;
    }

    private static void AssertOnDevice(PumpedLog log, long address, (long Key, int Bytes) expected)
    {
        byte[] record = log.ReadBack(address, 24 + expected.Bytes);
        Assert.Equal(expected.Key, BitConverter.ToInt64(record, 8));
        for (int i = 0; i < expected.Bytes; i++)
            if (record[24 + i] != (byte)(expected.Key + i)) Assert.Fail($"The record at {address} is not as written.");
    }

    /// <summary>Completes what the test names.</summary>
    private sealed class HeldDevice(Device inner) : PassingDevice(inner)
    {
        private readonly List<IORequest> _held = [], _failed = [];

        private int _wakes;

        public int Count => _held.Count;

        public int Wakes => Volatile.Read(ref _wakes);

        public override void Wake() => Interlocked.Increment(ref _wakes);

        public override void Submit(ReadOnlySpan<IORequest> requests) => _held.AddRange(requests);

        public void Release(int index)
        {
            IORequest request = _held[index];
            _held.RemoveAt(index);
            base.Submit([request]);
        }

        public void Fail(int index)
        {
            IORequest request = _held[index];
            _held.RemoveAt(index);
            request.Error = new StorageException("No space.");
            _failed.Add(request);
        }

        public override int Poll(Span<IORequest> completed)
        {
            int failed = Math.Min(_failed.Count, completed.Length);
            _failed[..failed].CopyTo(completed);
            _failed.RemoveRange(0, failed);
            return failed + base.Poll(completed[failed..]);
        }
    }
}
