using Faster.Devices;
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
    public void What_comes_back_out_of_order_counts_only_when_all_before_it_is_back()
    {
        var inner = new MemoryDevice();
        using var held = new HeldDevice(inner);
        using var log = new PumpedLog(held);
        log.Append(1, 400);
        log.Log.FreezeToTail();
        Assert.True(log.Pump());
        log.Append(2, 400);
        log.Log.FreezeToTail();
        Assert.True(log.Pump());
        Assert.Equal(2, held.Count);
        held.Release(1);
        log.Pump();
        Assert.Equal(0, log.Log.FlushedUntilAddress);
        held.Release(0);
        log.Pump();
        Assert.Equal(log.Log.TailAddress, log.Log.FlushedUntilAddress);
    }

    [Fact]
    public async Task Failed_parts_are_kept_and_written_when_a_retry_is_asked_for()
    {
        var faults = new FaultDevice(new MemoryDevice());
        using var device = new RecordingDevice(faults);
        using var log = new PumpedLog(device);
        faults.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Write, 2, FaultFlavour.NoSpace, true)] });
        long first = log.Append(1, 400), end1 = log.Log.FreezeToTail();
        log.PumpAll();
        long second = log.Append(2, 400), end2 = log.Log.FreezeToTail();
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

    private static Dictionary<long, (long Key, int Bytes)> RunRandomly(PumpedLog log, Random random)
    {
        var written = new Dictionary<long, (long, int)>();
        for (long key = 0; key < 120; key++)
        {
            int bytes = random.Next(4) == 0 ? random.Next(3500) : random.Next(300);
            written[log.Append(key, bytes)] = (key, bytes);
            if (random.Next(3) == 0) log.Log.FreezeToTail();
            if (random.Next(8) == 0) log.Log.PadTail();
            for (int turns = random.Next(3); turns > 0; turns--) log.Pump();
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
        private readonly List<IoRequest> _held = [];

        public int Count => _held.Count;

        public override void Submit(ReadOnlySpan<IoRequest> requests) => _held.AddRange(requests);

        public void Release(int index)
        {
            IoRequest request = _held[index];
            _held.RemoveAt(index);
            base.Submit([request]);
        }
    }
}
