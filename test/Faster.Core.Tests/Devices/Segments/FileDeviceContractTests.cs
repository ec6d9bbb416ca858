using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Devices.Segments;

/// <summary>The contract over files, in each way of transferring them.</summary>
public abstract class FileDeviceContractTests(IOMode io, bool unbuffered, int workers = 32) : DeviceTests
{
    private readonly TemporaryFolder _folder = new(onDisk: true);

    protected override Device Create() =>
        new SegmentedFileDevice(_folder.Path, Segment, workers: workers, unbuffered: unbuffered, io: io);

    public override void Dispose()
    {
        base.Dispose();
        _folder.Dispose();
        GC.SuppressFinalize(this);
    }
}

/// <summary>By threads, unbuffered where the file system allows it.</summary>
public sealed class UnbufferedFileDeviceTests() : FileDeviceContractTests(IOMode.RandomAccess, unbuffered: true);

/// <summary>Through the system's cache and by a single thread.</summary>
public sealed class BufferedFileDeviceTests() : FileDeviceContractTests(IOMode.RandomAccess, false, workers: 1);

/// <summary>By io_uring where the kernel allows it; else by what takes its place.</summary>
public sealed class RingDeviceTests() : FileDeviceContractTests(IOMode.Auto, unbuffered: true);

/// <summary>By io_uring where the kernel allows it, through the system's cache.</summary>
public sealed class BufferedRingDeviceTests() : FileDeviceContractTests(IOMode.Auto, unbuffered: false);
