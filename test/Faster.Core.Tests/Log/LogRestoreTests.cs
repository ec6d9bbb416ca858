using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Tests.Log;

/// <summary>A log that continues where a commit ended: markers, frames, incarnations and discarded records.</summary>
public sealed unsafe class LogRestoreTests : IDisposable
{
    private readonly MemoryDevice _device = new();
    private readonly List<(long Address, long Key)> _written = [];
    private byte[] _memory = [];

    public void Dispose() => _device.Dispose();

    [Fact]
    public void A_restored_log_goes_on_at_its_tail_under_a_new_incarnation()
    {
        (long flushed, long end) = WriteUntilCommit();
        using PumpedLog log = Restore(flushed, end, head: 3 << 12);
        Assert.Equal((64, 3 << 12), (log.Log.BeginAddress, log.Log.HeadAddress));
        Assert.Equal((end, end, end), (log.Log.TailAddress, log.Log.ReadOnlyAddress, log.Log.SafeReadOnlyAddress));
        Assert.Equal(flushed, log.Log.FlushedUntilAddress);
        log.PumpAll();
        Assert.Equal(end, log.Log.FlushedUntilAddress);
        for (long key = 1000; key < 1060; key++) _written.Add((log.Append(key, 400), key));
        Assert.Equal(end, _written[^60].Address);
        log.FlushAll();
        Assert.All(_written, record => Assert.Equal(record.Key, KeyOnDevice(log, record.Address)));
        Assert.Equal(1u, log.Storage.IdentityOf(flushed - 1).Incarnation);
        Assert.Equal(2u, log.Storage.IdentityOf(flushed).Incarnation);

        using var old = new PumpedLog(_device); // knows of no second incarnation
        Assert.Equal(_written[0].Key, KeyOnDevice(old, _written[0].Address));
        DamagedDataException damage =
            Assert.Throws<DamagedDataException>(() => KeyOnDevice(old, _written[^1].Address));
        Assert.Equal("memory", damage.Path);
        Assert.True(damage.Offset > 0);
    }

    [Fact]
    public void A_scan_reads_pages_of_several_incarnations_and_steps_over_abandoned_records()
    {
        (long flushed, long end) = WriteUntilCommit();
        using PumpedLog log = Restore(flushed, end, head: 3 << 12);
        _written.Add((log.Append(2000, 100), 2000));
        for (long key = 3000; key < 3080; key++) _written.Add((log.Append(key, 400, version: 3), key));
        log.FlushAll();
        (long from, long to) = (_written[5].Address, _written[9].Address);
        log.Storage.Restore(
            log.Storage.Incarnations,
            [
                new DiscardedRange(from, to, RecordHeader.CodeOf(1)),
                new DiscardedRange(to, log.Log.TailAddress, RecordHeader.CodeOf(2)), // of which there is none
            ]);
        using var scan = new LogScan(log.Epochs, log.Log, log.Storage);
        var seen = new List<(long, long)>();
        using var ioThread = new PumpThread(log); // the scan waits for its reads
        while (scan.MoveNext()) seen.Add((scan.Address, BitConverter.ToInt64(scan.Key)));
        Assert.Equal(_written.Where(record => record.Address < from || record.Address >= to), seen);
    }

    [Theory]
    [InlineData(64, 64)]     // nothing was ever written
    [InlineData(4096, 0)]    // the tail is a page's start
    public void The_ends_of_pages_are_tails_too(long tail, long flushed)
    {
        using PumpedLog log = Restore(flushed, tail, head: 64);
        Assert.Equal(tail, log.Append(1, 8));
        Assert.Equal(0, *(long*)log.Log.Pointer(tail + 32));
        log.FlushAll();
        Assert.Equal(1, KeyOnDevice(log, tail));
    }

    [Fact]
    public void More_pages_than_the_window_has_are_refused() => Assert.Throws<ArgumentOutOfRangeException>(
        () => Restore(8 << 12, 9 << 12, head: 64).Dispose());

    [Theory]
    [InlineData((2 << 12) + 504, 3 << 12, 3 << 12)] // what is below the head is on the device
    [InlineData(4 << 12, 3 << 12, 2 << 12)]         // what is on the device is below the tail
    public void Addresses_out_of_order_are_refused(long flushed, long tail, long head) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Restore(flushed, tail, head).Dispose());

    [Fact]
    public void A_log_whose_addresses_are_used_up_says_so()
    {
        long limit = Math.Min(LogTail.PageLimit, 1L << (RecordHeader.AddressBits - PumpedLog.PageBits));
        long last = (limit - 1) << PumpedLog.PageBits;
        using var log = new PumpedLog(_device);
        log.Log.Restore(last, last, last, last);
        for (int i = 0; i < 5; i++)
        {
            Assert.True(log.Log.TryAllocate(null, 800, out long address));
            Assert.Equal(last + (i * 800), address);
        }

        var error = Assert.Throws<LimitExceededException>(() => log.Log.TryAllocate(null, 800, out _));
        Assert.Contains("address space", error.Message, StringComparison.Ordinal);
    }

    // Pages 0 to 3 and a part of page 4 are on the device; a part of page 5 is in memory only.
    private (long Flushed, long End) WriteUntilCommit()
    {
        using var log = new PumpedLog(_device);
        long key = 0;
        for (; log.Log.TailAddress < (4 << 12) + 1000; key++) _written.Add((log.Append(key, 200), key));
        long flushed = log.FlushAll();
        for (; log.Log.TailAddress < (5 << 12) + 1000; key++) _written.Add((log.Append(key, 200), key));
        long end = log.Log.PadTail();
        Assert.Equal(flushed, log.Log.FlushedUntilAddress);
        _memory = new byte[(int)(end - (3 << 12))];
        for (int i = 0; i < _memory.Length; i++) _memory[i] = *log.Log.Pointer((3 << 12) + i);
        return (flushed, end);
    }

    private PumpedLog Restore(long flushed, long end, long head)
    {
        var log = new PumpedLog(_device);
        Incarnation[] incarnations = flushed <= 64
            ? [new(0, 2)]
            : [new Incarnation(0, 1), new Incarnation(flushed, 2)];
        log.Storage.Restore(incarnations, []);
        log.Log.Restore(64, flushed <= 64 ? 0 : flushed, end, head);
        for (int i = 0; i < _memory.Length; i++) *log.Log.Pointer(head + i) = _memory[i];
        return log;
    }

    private static long KeyOnDevice(PumpedLog log, long address) =>
        BitConverter.ToInt64(log.ReadBack(address, 16), 8);
}
