using System.Diagnostics;
using System.Runtime.InteropServices;
using Faster.Devices;
using Faster.Operations.Waiting;

namespace Faster.Tests.Devices;

/// <summary>Drives a device as its callers do: fills buffers, submits, and polls until all came back.</summary>
internal sealed unsafe class DeviceDriver : IDisposable
{
    /// <summary>Long enough for any machine; reached only when a completion is lost.</summary>
    public static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(30);

    private readonly List<nint> _buffers = [];

    public IORequest Request(IOKind kind, long offset, int length)
    {
        byte* buffer = (byte*)NativeMemory.AlignedAlloc((nuint)Math.Max(length, 512), 4096);
        lock (_buffers) _buffers.Add((nint)buffer);
        return new IORequest { Kind = kind, Offset = offset, Length = length, Buffer = buffer };
    }

    /// <summary>A write of bytes that follow from offset and version alone.</summary>
    public IORequest Write(long offset, int length, int version = 0)
    {
        IORequest request = Request(IOKind.Write, offset, length);
        for (int i = 0; i < length; i++) request.Buffer[i] = ByteAt(offset + i, version);
        return request;
    }

    /// <summary>A read into a buffer of other bytes.</summary>
    public IORequest Read(long offset, int length)
    {
        IORequest request = Request(IOKind.Read, offset, length);
        NativeMemory.Fill(request.Buffer, (nuint)length, 0xA5);
        return request;
    }

    public static byte ByteAt(long offset, int version) =>
        (byte)(((ulong)offset * 0x9E3779B97F4A7C15 + (ulong)version * 0xD6E8FEB86659FD93) >> 56);

    public static void AssertContent(IORequest read, int version = 0)
    {
        Assert.Null(read.Error);
        for (int i = 0; i < read.Length; i++)
        {
            if (read.Buffer[i] != ByteAt(read.Offset + i, version))
                Assert.Fail($"Byte {read.Offset + i} is {read.Buffer[i]}, not {ByteAt(read.Offset + i, version)}.");
        }
    }

    /// <summary>Submits and collects exactly these requests, each once, in the order of completion.</summary>
    public static List<IORequest> Run(Device device, params IORequest[] requests)
    {
        device.Submit(requests);
        List<IORequest> completed = Collect(device, requests.Length);
        Assert.Equal(requests.Length, completed.Distinct().Count());
        Assert.All(completed, r => Assert.Contains(r, requests));
        Assert.Equal(0, device.Poll(new IORequest[1]));
        return completed;
    }

    /// <summary>Submits one more request, and collects it with those that were submitted before.</summary>
    public static void RunWith(Device device, IORequest[] inside, IORequest request)
    {
        device.Submit([request]);
        Assert.Equal(inside.Length + 1, Collect(device, inside.Length + 1).Distinct().Count());
        Assert.Null(request.Error);
    }

    /// <summary>Polls until so many came back.</summary>
    public static List<IORequest> Collect(Device device, int count)
    {
        List<IORequest> completed = [];
        var batch = new IORequest[7];
        var clock = Stopwatch.StartNew();
        while (completed.Count < count)
        {
            Assert.True(clock.Elapsed < StallTimeout, $"{completed.Count} of {count} requests came back.");
            int taken = device.Poll(batch);
            completed.AddRange(batch.AsSpan(0, taken));
            if (taken == 0) device.Wait(TimeSpan.FromSeconds(1));
        }

        return completed;
    }

    public void Dispose()
    {
        foreach (nint buffer in _buffers) NativeMemory.AlignedFree((void*)buffer);
    }
}
