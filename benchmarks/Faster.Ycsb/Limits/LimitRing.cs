using Faster.Devices;
using Faster.Workload;

namespace Faster.Ycsb.Limits;

/// <summary>
/// Random reads of which one thread keeps many under way, by io_uring: the disk as a store's session uses it, with
/// nothing of the store above it.
/// </summary>
internal sealed unsafe class LimitRing : IDisposable
{
    private const int Writes = 8;

    private readonly SegmentedFileDevice _device;
    private readonly long _length;
    private int _inside;

    private LimitRing(SegmentedFileDevice device, long length) => (_device, _length) = (device, length);

    /// <summary>Fills a file in a folder of its own; null where the system has no io_uring.</summary>
    public static LimitRing? TryCreate(string folder, long length)
    {
        length = LimitBuffers.WholeSteps(length);
        try
        {
            var device = new SegmentedFileDevice(Path.Combine(folder, "ring"), length, io: IOMode.IoUring);
            var ring = new LimitRing(device, length);
            ring.Fill();
            return ring;
        }
        catch (StoreOpenException)
        {
            return null;
        }
    }

    /// <summary>Reads blocks at random, so many at a time. One loop after the other.</summary>
    public LimitLoop Random(int bytes, int depth)
    {
        // What the loop before has left under way.
        var left = new IORequest[1];
        while (_inside != 0) _ = Take(left);
        // Other places for each size and depth: what was read before may lie in a cache below the disk.
        var random = new SplitMix64(((ulong)bytes << 32) + (ulong)depth);
        int blocks = (int)Math.Min(_length / bytes, int.MaxValue);
        IORequest[] done = Requests(IOKind.Read, bytes, depth);
        int idle = depth;
        return (_, count) =>
        {
            for (int finished = 0; finished < count; finished += idle)
            {
                for (int i = 0; i < idle; i++) done[i].Offset = (long)random.NextBelow(blocks) * bytes;
                Submit(done.AsSpan(0, idle));
                idle = Take(done);
            }

            return count;
        };
    }

    /// <inheritdoc/>
    public void Dispose() => _device.Dispose();

    private void Fill()
    {
        IORequest[] done = Requests(IOKind.Write, LimitBuffers.SequentialBytes, Writes);
        int idle = Writes;
        for (long at = 0; at < _length || _inside != 0;)
        {
            int count = 0;
            for (; count < idle && at < _length; at += LimitBuffers.SequentialBytes) done[count++].Offset = at;
            Submit(done.AsSpan(0, count));
            idle = Take(done);
        }
    }

    private void Submit(ReadOnlySpan<IORequest> requests)
    {
        _device.Submit(requests);
        _inside += requests.Length;
    }

    private int Take(IORequest[] done)
    {
        int taken;
        while ((taken = _device.Poll(done)) == 0) _ = _device.Wait(Timeout.InfiniteTimeSpan);
        _inside -= taken;
        foreach (IORequest request in done.AsSpan(0, taken))
            if (request.Error is { } error) throw new IOException("The disk could not be measured.", error);
        return taken;
    }

    private static IORequest[] Requests(IOKind kind, int bytes, int count)
    {
        var requests = new IORequest[count];
        for (int i = 0; i < count; i++)
        {
            requests[i] = new IORequest { Kind = kind, Length = bytes, Buffer = LimitBuffers.Allocate(bytes) };
        }

        return requests;
    }
}
