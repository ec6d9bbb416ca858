using System.Runtime.InteropServices;
using Faster.Checkpoints.Files;
using Faster.Crash.Disk;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;

namespace Faster.Crash.DiskTests;

/// <summary>The log of the disk: a sync makes durable only what had completed before it began.</summary>
public sealed unsafe class CrashLogTests : IDisposable
{
    private const int Segment = 4096, Seeds = 60;

    private readonly CrashDisk _disk = new();
    private readonly StoreFiles _files;
    private readonly Device _log;
    private readonly byte* _buffer = (byte*)NativeMemory.AlignedAlloc(4096, 4096);

    public CrashLogTests()
    {
        _files = _disk.Mount();
        _log = _files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);
    }

    [Fact]
    public void A_write_that_completed_before_the_sync_is_durable()
    {
        Complete(Write(512, 7));
        _log.Sync();
        Assert.All(States(), s => Assert.Equal(7, ByteAt(s, 512)));
    }

    [Fact]
    public void A_write_that_was_only_submitted_before_the_sync_is_not()
    {
        Complete(Write(0, 1));
        _log.Submit([Write(512, 7)]);
        _log.Sync();
        Assert.Contains(States(), s => ByteAt(s, 512) != 7);
        Assert.Contains(States(), s => ByteAt(s, 512) == 7);
        Assert.All(States(), s => Assert.Equal(1, ByteAt(s, 0)));
    }

    [Fact]
    public void A_write_that_was_under_way_when_the_process_was_killed_is_made_at_once_or_never()
    {
        _log.Submit([Write(0, 1)]);
        var made = new HashSet<int>();
        for (int seed = 0; seed < 8; seed++)
        {
            CrashDisk killed = _disk.KillState(seed, _disk.Events.Count);
            made.Add(ByteAt(killed, 0));
            using StoreFiles files = killed.Mount();
            using Device log = files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);
            log.Submit([Write(0, 2)]);
            Assert.Equal(1, log.Poll(new IORequest[1]));
            log.Sync();
            Assert.All(Enumerable.Range(0, Seeds), i => Assert.Equal(2, ByteAt(killed.CrashState(i), 0)));
        }

        Assert.Equal([-1, 1], made.Order());
    }

    [Fact]
    public void A_sync_makes_the_names_of_segments_durable_and_no_others()
    {
        _files.Write("commit", "content");
        Complete(Write(Segment, 3));
        _log.Sync();
        Assert.All(States(), s => Assert.NotNull(s.Live.Find("log.000000000001")));
        Assert.Contains(States(), s => s.Live.Find("commit") is null);
    }

    [Fact]
    public void A_buffer_that_is_changed_while_the_device_has_it_is_an_error()
    {
        IORequest write = Write(0, 1);
        _log.Submit([write]);
        _buffer[100] ^= 1;
        Assert.Equal(1, _log.Poll(new IORequest[1]));
        Assert.IsType<StorageException>(write.Error);
    }

    [Fact]
    public void Completions_are_reordered_by_a_seed_and_none_is_lost()
    {
        HashSet<string> orders = [];
        for (int seed = 0; seed < 200; seed++)
        {
            _disk.Reordering = new Random(seed);
            IORequest[] writes = [Write(0, 1), Write(512, 1), Write(1024, 1)];
            _log.Submit(writes);
            List<IORequest> done = [];
            var polled = new IORequest[3];
            while (done.Count < 3)
            {
                Assert.True(_log.Wait(TimeSpan.FromSeconds(1)));
                done.AddRange(polled.AsSpan(0, _log.Poll(polled)));
            }

            orders.Add(string.Join(',', done.Select(r => r.Offset)));
        }

        Assert.Equal(6, orders.Count);
    }

    [Fact]
    public void A_stopped_disk_completes_every_request_with_an_error()
    {
        IORequest before = Write(0, 1), after = Write(512, 1);
        _log.Submit([before]);
        _disk.StopAt = _disk.Boundaries;
        _log.Submit([after]);
        var polled = new IORequest[2];
        Assert.Equal(2, _log.Poll(polled));
        Assert.All(polled, r => Assert.IsType<StorageException>(r.Error));
        Assert.ThrowsAny<StorageException>(_log.Sync);
    }

    [Fact]
    public void Giving_up_segments_deletes_their_files()
    {
        Complete(Write(0, 1));
        Complete(Write(Segment, 1));
        _log.TruncateBelow(Segment);
        Assert.Equal(["log.000000000001"], _files.List());
        IORequest read = Write(0, 1);
        read.Kind = IOKind.Read;
        _log.Submit([read]);
        _log.Poll(new IORequest[1]);
        Assert.IsType<DamagedDataException>(read.Error);
    }

    [Fact]
    public void A_write_does_not_go_on_after_the_device_is_closed()
    {
        Complete(Write(0, 1));
        _log.Submit([Write(0, 2)]);
        _log.Dispose();
        using Device next = _files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);
        IORequest last = Write(0, 3);
        next.Submit([last]);
        Assert.Equal(1, next.Poll(new IORequest[1]));
        next.Sync();
        Assert.All(States(), s => Assert.Equal(3, ByteAt(s, 0)));
    }

    public void Dispose()
    {
        _log.Dispose();
        _files.Dispose();
        NativeMemory.AlignedFree(_buffer);
    }

    private IEnumerable<CrashDisk> States() => Enumerable.Range(0, Seeds).Select(seed => _disk.CrashState(seed));

    private static int ByteAt(CrashDisk disk, long offset)
    {
        FileImage? file = disk.Live.Find(CrashLog.NameOf(offset / Segment));
        if (file is null || file.Length <= offset % Segment) return -1;
        return file.ToArray()[offset % Segment];
    }

    private IORequest Write(long offset, byte content)
    {
        NativeMemory.Fill(_buffer, 512, content);
        return new IORequest { Kind = IOKind.Write, Offset = offset, Length = 512, Buffer = _buffer };
    }

    private void Complete(IORequest request)
    {
        _log.Submit([request]);
        Assert.Equal(1, _log.Poll(new IORequest[1]));
        Assert.Null(request.Error);
    }
}
