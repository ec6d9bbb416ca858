using System.Diagnostics;
using System.Runtime.InteropServices;
using Faster.Devices;

namespace Faster.Tests.Devices;

/// <summary>Drives a device as its callers do: fills buffers, submits, and polls until all came back.</summary>
internal sealed unsafe class DeviceDriver : IDisposable
{
    /// <summary>Long enough for any machine; reached only when a completion is lost.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly List<nint> _buffers = [];

    public IoRequest Request(IoKind kind, long offset, int length)
    {
        byte* buffer = (byte*)NativeMemory.AlignedAlloc((nuint)Math.Max(length, 512), 4096);
        lock (_buffers) _buffers.Add((nint)buffer);
        return new IoRequest { Kind = kind, Offset = offset, Length = length, Buffer = buffer };
    }

    /// <summary>A write of bytes that follow from offset and version alone.</summary>
    public IoRequest Write(long offset, int length, int version = 0)
    {
        IoRequest request = Request(IoKind.Write, offset, length);
        for (int i = 0; i < length; i++) request.Buffer[i] = ByteAt(offset + i, version);
        return request;
    }

    /// <summary>A read into a buffer of other bytes.</summary>
    public IoRequest Read(long offset, int length)
    {
        IoRequest request = Request(IoKind.Read, offset, length);
        NativeMemory.Fill(request.Buffer, (nuint)length, 0xA5);
        return request;
    }

    public static byte ByteAt(long offset, int version) =>
        (byte)(((ulong)offset * 0x9E3779B97F4A7C15 + (ulong)version * 0xD6E8FEB86659FD93) >> 56);

    public static void AssertContent(IoRequest read, int version = 0)
    {
        Assert.Null(read.Error);
        for (int i = 0; i < read.Length; i++)
        {
            if (read.Buffer[i] != ByteAt(read.Offset + i, version))
                Assert.Fail($"Byte {read.Offset + i} is {read.Buffer[i]}, not {ByteAt(read.Offset + i, version)}.");
        }
    }

    /// <summary>Submits and collects exactly these requests, each once, in the order of completion.</summary>
    public static List<IoRequest> Run(Device device, params IoRequest[] requests)
    {
        device.Submit(requests);
        List<IoRequest> completed = Collect(device, requests.Length);
        Assert.Equal(requests.Length, completed.Distinct().Count());
        Assert.All(completed, r => Assert.Contains(r, requests));
        Assert.Equal(0, device.Poll(new IoRequest[1]));
        return completed;
    }

    /// <summary>Submits one more request, and collects it with those that were submitted before.</summary>
    public static void RunWith(Device device, IoRequest[] inside, IoRequest request)
    {
        device.Submit([request]);
        Assert.Equal(inside.Length + 1, Collect(device, inside.Length + 1).Distinct().Count());
        Assert.Null(request.Error);
    }

    /// <summary>Polls until so many came back.</summary>
    public static List<IoRequest> Collect(Device device, int count)
    {
        List<IoRequest> completed = [];
        var batch = new IoRequest[7];
        var clock = Stopwatch.StartNew();
        while (completed.Count < count)
        {
            Assert.True(clock.Elapsed < Patience, $"{completed.Count} of {count} requests came back.");
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
