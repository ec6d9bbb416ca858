using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.Tests.Log.Reads;

/// <summary>Reads of single records: what shares a request, what fails alone, what waits for a buffer.</summary>
public sealed unsafe class ReadQueueTests : IDisposable
{
    private const int Records = 200, ValueBytes = 72; // of 96 bytes: five and a quarter in a block

    private readonly QueueingDevice _device = new(new MemoryDevice());
    private readonly PumpedLog _log;
    private readonly List<Exception> _faults = [];
    private readonly long[] _addresses = new long[Records];

    public ReadQueueTests()
    {
        _log = new PumpedLog(_device);
        for (int key = 0; key < Records; key++) _addresses[key] = _log.Append(key, ValueBytes);
        _log.FlushAll();
    }

    [Fact]
    public void Reads_of_blocks_under_way_join_them()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        // The first six records lie behind the log's first 64 bytes: four in the first block, the fifth across its end.
        Expect[] reads = [.. Enumerable.Range(0, 4).Select(key => Begin(queue, key))];
        Assert.Single(_device.Reads);
        Answer(queue, reads);
        Assert.Single(_device.Reads);
        Assert.False(queue.IsBusy);
    }

    [Fact]
    public void Neighbors_that_are_gathered_become_one_request_within_a_page_and_a_buffer()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        List<Expect> reads = [.. Enumerable.Range(0, 16).Select(i => Begin(queue, 40 + (i * 10)))];
        int begun = _device.Reads.Count;
        Assert.InRange(begun, 8, 15); // a quarter as many as are under way are gathered
        for (int key = 20; key < 30; key++) reads.Add(Begin(queue, key));
        Answer(queue, [.. reads]);
        Assert.True(_device.Reads.Count <= 19, $"{_device.Reads.Count} requests for 16 records and 10 neighbours.");
        Assert.All(_device.Reads, read => Assert.InRange(read.Length, 512, 4096));
    }

    [Theory]
    [InlineData(2, true)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    [InlineData(1, false)]
    [InlineData(5, false)]
    public void A_gathered_request_takes_in_neighbors_on_either_side_and_nothing_across_a_gap(int block, bool joins)
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        List<Expect> reads = [.. FarAway().Select(key => Begin(queue, key))];
        reads.Add(Begin(queue, KeyIn(0, 3)));
        Assert.Equal(4, _device.Reads.Count);
        reads.Add(Begin(queue, KeyIn(0, block)));
        Answer(queue, [.. reads]);
        Assert.Equal(joins ? 5 : 6, _device.Reads.Count);
        int first = Math.Min(3, block), blocks = Math.Abs(3 - block) + 1;
        if (joins) Assert.Equal((first * 512, blocks * 512), _device.Reads[4]);
    }

    [Fact]
    public void A_gathered_request_grows_as_far_as_its_buffer_goes()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        List<Expect> reads = [.. FarAway().Select(key => Begin(queue, key))];
        for (int block = 0; block < 8; block++) reads.Add(Begin(queue, KeyIn(0, block)));
        Assert.Equal(4, _device.Reads.Count);
        reads.Add(Begin(queue, Array.FindLastIndex(_addresses, address => address < 4096))); // blocks 7 and 8
        Answer(queue, [.. reads]);
        Assert.Equal([(0L, 4096), (7 * 512L, 1024)], _device.Reads.Skip(4));
    }

    [Fact]
    public void A_request_under_way_takes_in_nothing_that_it_does_not_read()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        List<Expect> reads = [Begin(queue, KeyIn(0, 3))];
        Assert.Equal([(3 * 512L, 512)], _device.Reads);
        reads.AddRange(new[] { 2, 4 }.Select(block => Begin(queue, KeyIn(0, block))));
        Answer(queue, [.. reads]);
        Assert.Equal([(3 * 512L, 512), (2 * 512L, 512), (4 * 512L, 512)], _device.Reads);
    }

    [Fact]
    public void A_single_read_does_not_wait_for_company()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        Expect read = Begin(queue, 7);
        Assert.Single(_device.Reads);
        Answer(queue, [read]);
    }

    [Fact]
    public void A_damaged_block_fails_only_the_reads_that_need_it()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        _device.Spoiled.Add(_log.Storage.Geometry.Map(_addresses[30], 8, 512).Offset + 100);
        List<Expect> far = [.. Enumerable.Range(0, 16).Select(i => Begin(queue, 100 + (i * 6)))];
        Expect[] reads = [.. Enumerable.Range(20, 20).Select(key => Begin(queue, key))];
        _device.IsAnswering = true;
        queue.Poll();
        Assert.All(far, read => read.AssertRead());
        Assert.All(reads, read => Assert.Equal(1, read.Times));
        Assert.InRange(reads.Count(read => read.Error is DamagedDataException), 4, 7);
        Assert.All(reads.Where(read => read.Error is null), read => read.AssertRead());
        Assert.IsType<DamagedDataException>(reads[10].Error);
        Assert.False(queue.IsBusy);
    }

    [Fact]
    public void Reads_without_a_buffer_wait_for_one_and_are_all_told()
    {
        using LogReader reader = Open(bufferBytes: 1); // space for one page: eight small buffers
        ReadQueue queue = reader.TryRentQueue()!;
        Expect[] reads = [.. Enumerable.Range(0, 40).Select(i => Begin(queue, i * 5))];
        Assert.InRange(_device.Reads.Count, 1, 8);
        Assert.True(queue.IsBusy);
        Answer(queue, reads);
        Assert.False(queue.IsBusy);
    }

    [Fact]
    public void The_shared_row_begins_at_once_and_its_completions_come_by_the_device()
    {
        using LogReader reader = Open();
        Expect read = Begin(reader.Shared, 3);
        Assert.Equal(0, read.Times);
        _log.PumpAll();
        read.AssertRead();
        Assert.Empty(_device.Reads);
    }

    [Fact]
    public void A_returned_queue_serves_the_next_session()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        reader.ReturnQueue(queue);
        Assert.Same(queue, reader.TryRentQueue());
        reader.ReturnQueue(queue);
        reader.CloseQueues();
        Assert.NotSame(queue, reader.TryRentQueue());
    }

    [Fact]
    public void A_guess_grows_with_the_records_and_shrinks_with_them()
    {
        using LogReader reader = Open();
        for (int i = 0; i < 100; i++) reader.Learn(1000);
        Assert.InRange(reader.Guess, 900, 1000);
        for (int i = 0; i < 100; i++) reader.Learn(1 << 20);
        Assert.InRange(reader.Guess, 1900, 2048);
        for (int i = 0; i < 200; i++) reader.Learn(32);
        Assert.InRange(reader.Guess, 64, 80);
    }

    [Fact]
    public void Records_of_one_size_need_no_guess_but_of_whether_they_expire()
    {
        var layout = new RecordLayout(new RecordSchema(8, 8, 8, "", ""));
        using var reader = new LogReader(_log.Storage, layout, 1 << 20, _faults.Add);
        Assert.Equal(24, reader.Guess);
        reader.Learn(24);
        Assert.Equal(24, reader.Guess);
        reader.Learn(24 + RecordExpiry.Size);
        reader.Learn(24);
        Assert.Equal(24 + RecordExpiry.Size, reader.Guess);
    }

    [Fact]
    public void Only_what_no_small_buffer_holds_asks_for_a_large_one()
    {
        const int PageBits = 20;
        using var device = new MemoryDevice();
        var storage = new LogStorage(device, new BlockGeometry(PageBits), new BlockIdentity(1, 1));
        using var reader = new LogReader(storage, _log.Log.Layout, 1 << 20, _faults.Add);
        Assert.Equal(0, reader.BufferFor(0, 2048));
        Assert.Equal(0, reader.BufferFor(0, 8000));
        Assert.Equal(16 << 10, reader.BufferFor(0, 8192)); // 17 blocks
        Assert.Equal(64 << 10, reader.BufferFor(0, 60_000));
        Assert.Equal(0, reader.BufferFor((1 << PageBits) - 4096, 60_000)); // no more than its page has
    }

    [Fact]
    public void A_callback_that_throws_does_not_stop_the_others()
    {
        using LogReader reader = Open();
        ReadQueue queue = reader.TryRentQueue()!;
        Expect[] reads = [Begin(queue, 0), Begin(queue, 60), Begin(queue, 120)];
        reads[1].Throws = true;
        Answer(queue, reads);
        Assert.IsType<InvalidOperationException>(Assert.Single(_faults));
    }

    public void Dispose()
    {
        _log.Dispose();
        _device.Dispose();
    }

    private LogReader Open(long bufferBytes = 1 << 20) =>
        new(_log.Storage, _log.Log.Layout, bufferBytes, _faults.Add);

    private Expect Begin(ReadQueue queue, int key)
    {
        var read = new Expect(key);
        queue.Read(read, _addresses[key], 96);
        return read;
    }

    private void Answer(ReadQueue queue, Expect[] reads)
    {
        _device.IsAnswering = true;
        queue.Poll();
        Assert.All(reads, read => read.AssertRead());
    }

    // One record in each of the pages behind the first, so many as let a fifth read wait for company.
    private int[] FarAway() => [.. Enumerable.Range(1, 4).Select(page => KeyIn(page, 0))];

    // The first record that lies in one block alone.
    private int KeyIn(int page, int block)
    {
        long from = (page << PumpedLog.PageBits) + (block * BlockFormat.Payload);
        return Array.FindIndex(_addresses, address => address >= from && address + 96 <= from + BlockFormat.Payload);
    }

    /// <summary>A read that knows what it should get.</summary>
    private sealed class Expect(int key) : RecordRead
    {
        public int Times { get; private set; }

        public Exception? Error { get; private set; }

        public bool Throws { get; set; }

        private long Key { get; set; } = -1;

        private byte LastByte { get; set; }

        public override void OnRead(byte* record, Exception? error)
        {
            Times++;
            Error = error;
            if (error is null)
            {
                Assert.True(Available >= 96);
                Key = *(long*)(record + 8);
                LastByte = record[24 + ValueBytes - 1];
            }

            if (Throws) throw new InvalidOperationException("A read throws against its contract.");
        }

        public void AssertRead()
        {
            Assert.Null(Error);
            Assert.Equal(1, Times);
            Assert.Equal(key, Key);
            Assert.Equal((byte)(key + ValueBytes - 1), LastByte);
        }
    }
}
