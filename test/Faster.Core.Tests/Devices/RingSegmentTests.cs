using Xunit.Abstractions;

namespace Faster.Tests.Devices;

/// <summary>Segments by io_uring where the kernel allows it.</summary>
public sealed class RingSegmentTests(ITestOutputHelper output) : SegmentedFileDeviceTests(IoMode.Auto, output);
