using Faster.Devices;
using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Devices.IOUring;

/// <summary>Two devices share a ring: one wait, and the files of each.</summary>
public sealed class JoinedRingQueueTests : IDisposable
{
    private const int Segment = 64 << 10;

    private readonly TemporaryFolder _folder = new(onDisk: true), _other = new(onDisk: true);
    private readonly DeviceDriver _driver = new();

    [RingFact]
    public void Requests_of_two_devices_come_back_from_one_ring()
    {
        using SegmentedFileDevice first = Open(_folder), second = Open(_other);
        DeviceDriver.Run(first, _driver.Write(0, 8192));
        DeviceDriver.Run(second, _driver.Write(Segment, 8192)); // the first segment of this one does not exist
        IOQueue ring = first.TryOpenQueue()!;
        IOQueue joined = second.TryJoinQueue(ring)!;
        IORequest[] reads =
        [
            .. Enumerable.Range(0, 200).Select(n => _driver.Read((n % 16 * 512) + (n % 2 * Segment), 512)),
        ];
        for (int i = 0; i < reads.Length; i++) (i % 2 == 0 ? ring : joined).Add(reads[i]); // more than the ring has
        IORequest missing = _driver.Read(0, 512);
        joined.Add(missing);
        HashSet<IORequest> taken = Collect(ring, reads.Length + 1);
        Assert.Equal([.. reads, missing], taken);
        Assert.All(reads, read => DeviceDriver.AssertContent(read));
        Assert.Contains(_other.Path, missing.Error!.Message, StringComparison.Ordinal);
        joined.Dispose(); // closes nothing
        ring.Submit([reads[0]]);
        Assert.Equal(reads[0], Assert.Single(Collect(joined, 1)));
        first.CloseQueue(ring);
    }

    [RingFact]
    public void A_device_that_reads_by_threads_joins_no_ring()
    {
        using SegmentedFileDevice first = Open(_folder), second = Open(_other, IOMode.RandomAccess);
        IOQueue ring = first.TryOpenQueue()!;
        Assert.Null(second.TryJoinQueue(ring));
        using var memory = new MemoryDevice();
        Assert.Null(memory.TryJoinQueue(ring));
        first.CloseQueue(ring);
    }

    public void Dispose()
    {
        _folder.Dispose();
        _other.Dispose();
        _driver.Dispose();
    }

    private static HashSet<IORequest> Collect(IOQueue queue, int count)
    {
        var taken = new HashSet<IORequest>();
        var batch = new IORequest[32];
        while (taken.Count < count)
        {
            foreach (IORequest request in batch.AsSpan(0, queue.Poll(batch))) Assert.True(taken.Add(request));
            if (taken.Count < count) _ = queue.Wait(DeviceDriver.StallTimeout);
        }

        return taken;
    }

    private static SegmentedFileDevice Open(TemporaryFolder folder, IOMode io = IOMode.IoUring) => new(
        folder.Path, SegmentFiles.DefaultName, Segment, 512, 4, true, FileCalls.Real, TimeSpan.FromSeconds(5), io);
}
