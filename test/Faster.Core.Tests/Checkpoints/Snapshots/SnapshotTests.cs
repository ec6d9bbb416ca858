using Faster.Checkpoints;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Log.Records;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Faster.Tests.Log;

namespace Faster.Tests.Checkpoints.Snapshots;

/// <summary>Snapshots and increments give memory back as it was, and refuse what does not fit together.</summary>
public sealed unsafe class SnapshotTests : IDisposable
{
    private const ulong Store = 77;
    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly PumpedLog _log = new(new MemoryDevice(), residentPages: 16);

    public SnapshotTests() => _files = FolderFiles.OpenFolder(_folder.Path);

    private SnapshotWriter Writer => new(_log.Epochs, _log.Log, _log.Storage, _files, Store, bufferBytes: 8192);

    public void Dispose()
    {
        _log.Dispose();
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void A_whole_snapshot_brings_memory_back()
    {
        Fill(3000, 200);
        long from = _log.FlushAll();
        Fill(20_000, 200);
        long end = _log.Log.PadTail();
        FileReference snapshot = Writer.Write("s1", from, end, default);
        using PumpedLog loaded = Load(from, end, snapshot);
        AssertSame(loaded, from, end);
        Assert.Equal(new FileInfo(Path.Combine(_folder.Path, "s1")).Length, snapshot.Bytes);
        Assert.InRange(snapshot.Bytes, end - from, end - from + 8192);
    }

    [Fact]
    public void The_first_bytes_are_those_of_the_page_that_draws_them()
    {
        Fill(100, 200);
        long from = _log.FlushAll();
        _log.Append(7, 16);
        long end = _log.Log.PadTail();
        FileReference snapshot = Writer.Write("s1", from, end, default);
        byte[] bytes = File.ReadAllBytes(Path.Combine(_folder.Path, "s1"));
        Assert.Equal("FASTERSN"u8.ToArray(), bytes[..8]);
        Assert.Equal(snapshot.Identity, BitConverter.ToUInt64(bytes, 24));
        Assert.Equal([from, from, end], [Word(32), Word(40), Word(48)]);
        Assert.Equal([from, end - from], [Word(56), Word(64)]);
        Assert.Equal(7, Word(72 + 8)); // a record: header, key
        Assert.Equal(4096, bytes.Length);
        long Word(int at) => BitConverter.ToInt64(bytes, at);
    }

    [Fact]
    public void Pages_that_have_left_memory_meanwhile_are_read_from_the_device()
    {
        long end = Fill(40_000, 300);
        byte[] before = Bytes(64, end);
        Fill(90_000, 300); // memory holds 64 KiB
        _log.PumpAll();
        Assert.True(_log.Log.HeadAddress > 20_000);
        FileReference snapshot;
        using (new PumpThread(_log)) snapshot = Writer.Write("s1", 64, end, default);
        using PumpedLog loaded = Load(64, end, snapshot);
        for (long at = 64; at < end; at++)
            if (*loaded.Log.Pointer(at) != before[at - 64]) Assert.Fail($"The byte at {at} is another.");
    }

    [Fact]
    public void An_increment_holds_what_was_stamped_and_what_is_new_and_nothing_else()
    {
        var records = new List<long>();
        for (int key = 0; key < 150; key++) records.Add(_log.Append(key, 200));
        long end1 = _log.Log.PadTail();
        FileReference whole = Writer.Write("s1", 64, end1, default);
        foreach (int i in new[] { 3, 4, 5, 70, 149 }) Update(records[i], version: 2);
        _log.Append(1000, 100, records[3], version: 2);
        long end2 = _log.Log.PadTail();
        FileReference increment =
            Writer.WriteIncrement("s2", 64, end1, end2, [RecordHeader.CodeOf(2)], default);
        Update(records[4], version: 3);
        Update(records[80], version: 4);
        FileReference second = Writer.WriteIncrement(
            "s3", 64, end2, end2, [RecordHeader.CodeOf(3), RecordHeader.CodeOf(4)], default);
        Assert.Equal((4096, 4096), (increment.Bytes, second.Bytes));
        using PumpedLog loaded = Load(64, end2, whole, increment, second);
        AssertSame(loaded, 64, end2);
        using PumpedLog older = Load(64, end2, whole, increment);
        Assert.Throws<Xunit.Sdk.FailException>(() => AssertSame(older, 64, end2)); // the second one is needed
    }

    [Fact]
    public void Parts_that_were_flushed_since_are_left_to_the_log()
    {
        Fill(5000, 200);
        long end1 = _log.Log.PadTail();
        FileReference whole = Writer.Write("s1", 64, end1, default);
        long from = _log.FlushAll();
        Fill(9000, 200);
        long end2 = _log.Log.PadTail();
        FileReference increment = Writer.WriteIncrement("s2", from, end1, end2, [2], default);
        using PumpedLog loaded = Load(from, end2, whole, increment);
        AssertSame(loaded, from, end2);
        Assert.Equal(0, *(long*)loaded.Log.Pointer(from - 8 - (from % 8) - 1000)); // below it nothing was touched

        long all = _log.FlushAll();
        FileReference nothing = Writer.WriteIncrement("s3", all, end2, all, [2], default);
        Load(all, all, whole, increment, nothing).Dispose();
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    public void An_increment_misses_nothing_where_a_page_is_flushed_in_part(int parts)
    {
        using var log = new PumpedLog(new MemoryDevice(), residentPages: 16, partBytes: 512);
        var records = new List<long>();
        for (int key = 0; log.Log.TailAddress < 3 * 4096; key++) records.Add(log.Append(key, 64));
        var writer = new SnapshotWriter(log.Epochs, log.Log, log.Storage, _files, Store, 8192);
        long end1 = log.Log.PadTail();
        FileReference whole = writer.Write("s1", log.Log.FlushedUntilAddress, end1, default);
        foreach (long record in records)
        {
            *(long*)(log.Log.Pointer(record) + 80) ^= -1;
            RecordHeader.Write(log.Log.Pointer(record), RecordHeader.VersionBits(2));
        }

        _ = log.Log.ShiftReadOnlyToTail();
        while (log.Log.FlushedUntilAddress < parts * 504) log.TakeTurn();
        long from = log.Log.FlushedUntilAddress;
        Assert.True(from == parts * 504 && !records.Contains(from), $"{from} is no address within a record.");
        FileReference increment =
            writer.WriteIncrement("s2", from, end1, end1, [RecordHeader.CodeOf(2)], default);
        using PumpedLog loaded = Load(from, end1, whole, increment);
        for (long at = from; at < end1; at++)
            if (*loaded.Log.Pointer(at) != *log.Log.Pointer(at)) Assert.Fail($"The byte at {at} is another.");
    }

    [Fact]
    public void Files_that_do_not_fit_together_are_refused()
    {
        Fill(5000, 200);
        long end1 = _log.Log.PadTail();
        FileReference whole = Writer.Write("s1", 64, end1, default);
        Fill(6000, 200);
        long end2 = _log.Log.PadTail();
        FileReference second = Writer.WriteIncrement("s2", 64, end1, end2, [], default);
        Fill(7000, 200);
        long end3 = _log.Log.PadTail();
        FileReference third = Writer.WriteIncrement("s3", 64, end2, end3, [], default);
        Load(64, end3, whole, second, third).Dispose();
        Refuse("s3", end3, whole, third);
        Refuse("s2", end3, whole, second);
        Refuse("s2", end3, second, third);
        Refuse("s3", end2, whole, second, third);
        Refuse("s2", end3, whole, second with { Identity = 1 }, third);
        Refuse("s2", end3, whole, second with { FileName = "s1" }, third);
        Refuse("s3", end3, whole, second, third with { FileName = "s4" });

        void Refuse(string file, long end, params FileReference[] snapshots)
        {
            DamagedDataException damage =
                Assert.Throws<DamagedDataException>(() => Load(64, end, snapshots).Dispose());
            string expected = snapshots.Any(snapshot => snapshot.FileName == "s4") ? "s4" : file;
            if (snapshots[1].FileName == "s1") expected = "s1";
            Assert.Equal(Path.Combine(_folder.Path, expected), damage.Path);
        }
    }

    [Fact]
    public void Every_flipped_bit_is_found_in_the_file()
    {
        Fill(1000, 64);
        long end = _log.Log.PadTail();
        FileReference snapshot = Writer.Write("s1", 64, end, default);
        string path = Path.Combine(_folder.Path, "s1");
        byte[] sound = File.ReadAllBytes(path);
        int step = (53 / TestBudget.Times(1)) | 1; // odd: all bits of a byte by turns
        for (int bit = 0; bit < sound.Length * 8; bit += step)
        {
            sound[bit / 8] ^= (byte)(1 << (bit % 8));
            File.WriteAllBytes(path, sound);
            sound[bit / 8] ^= (byte)(1 << (bit % 8));
            DamagedDataException damage =
                Assert.Throws<DamagedDataException>(() => Load(64, end, snapshot).Dispose());
            Assert.Equal(path, damage.Path);
            Assert.InRange(damage.Offset, 0, bit / 8);
        }
    }

    [Fact]
    public void A_write_that_fails_is_told_and_leaves_no_file()
    {
        Fill(20_000, 200);
        long end = _log.Log.PadTail();
        bool failed = true;
        for (int n = 1; failed; n++)
        {
            using var folder = new TemporaryFolder();
            var calls = new NthCallFails(n);
            using var files = FolderFiles.OpenFolder(folder.Path, unbuffered: false, calls);
            var writer = new SnapshotWriter(_log.Epochs, _log.Log, _log.Storage, files, Store, 8192);
            try
            {
                writer.Write("s1", 64, end, default);
                failed = false;
                Assert.False(calls.Failed);
                Assert.True(n > 4);
            }
            catch (StorageException)
            {
                Assert.True(calls.Failed);
                Assert.DoesNotContain("s1", files.List());
            }
        }
    }

    [Fact]
    public void A_capture_that_is_canceled_leaves_no_file()
    {
        Fill(20_000, 200);
        using var source = new CancellationTokenSource();
        source.Cancel();
        Assert.Throws<OperationCanceledException>(
            () => Writer.Write("s1", 64, _log.Log.PadTail(), source.Token));
        Assert.DoesNotContain("s1", _files.List());
    }

    private long Fill(long until, int valueBytes)
    {
        while (_log.Log.TailAddress < until) _log.Append(_log.Log.TailAddress, valueBytes);
        return _log.Log.TailAddress;
    }

    // As an update in place does: another value, and the version's stamp.
    private void Update(long address, long version)
    {
        byte* record = _log.Log.Pointer(address);
        for (int i = 0; i < 200; i++) record[24 + i] ^= 0x5A;
        ulong header = RecordHeader.Read(record) & ~RecordHeader.VersionMask;
        RecordHeader.Write(record, header | RecordHeader.VersionBits(version));
    }

    private PumpedLog Load(long from, long end, params FileReference[] snapshots)
    {
        var log = new PumpedLog(new MemoryDevice(), residentPages: 16);
        try
        {
            long page = from >> PumpedLog.PageBits << PumpedLog.PageBits;
            log.Log.Restore(64, from == 64 ? 0 : from, end, Math.Max(page, 64));
            long read = 0;
            new SnapshotReader(_files, Store, log.Log, bytes => read += bytes)
                .Load(snapshots, from, end, default);
            Assert.Equal(snapshots.Sum(snapshot => snapshot.Bytes), read);
            AssertSameByPages(log, from, end, snapshots);
            return log;
        }
        catch (DamagedDataException damage)
        {
            log.Dispose();
            Assert.Equal(damage.Path, Assert.Throws<DamagedDataException>(ReadPages).Path);
            throw;
        }
        catch
        {
            log.Dispose();
            throw;
        }

        void ReadPages() => AssertSameByPages(log: null, from, end, snapshots);
    }

    // What is read page by page, the last one first, is what the sequential reader has loaded.
    private void AssertSameByPages(PumpedLog? log, long from, long end, FileReference[] snapshots)
    {
        var snapshotFiles = new SnapshotFileRefs(_files, Store);
        snapshotFiles.Keep(snapshots);
        using SnapshotPages pages = snapshotFiles.TryOpen(snapshots, from, end, PumpedLog.PageBits)!;
        byte[] page = new byte[1 << PumpedLog.PageBits];
        fixed (byte* bytes = page)
        {
            for (long to = end; to > from;)
            {
                long start = Math.Max((to - 1) >> PumpedLog.PageBits << PumpedLog.PageBits, from);
                page.AsSpan().Fill(0xEE);
                pages.Load(start, to, bytes);
                for (long at = start; log is not null && at < to; at++)
                    if (bytes[at - start] != *log.Log.Pointer(at)) Assert.Fail($"The byte at {at} is another by page.");
                to = start;
            }
        }
    }

    private byte[] Bytes(long from, long end)
    {
        byte[] bytes = new byte[end - from];
        for (long at = from; at < end; at++) bytes[at - from] = *_log.Log.Pointer(at);
        return bytes;
    }

    private void AssertSame(PumpedLog loaded, long from, long end)
    {
        for (long at = from; at < end; at++)
            if (*loaded.Log.Pointer(at) != *_log.Log.Pointer(at)) Assert.Fail($"The byte at {at} is another.");
    }
}
