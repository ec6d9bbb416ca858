using Faster.Tests.Devices.Segments;
using Xunit.Abstractions;

namespace Faster.Tests.Devices.IOUring;

/// <summary>Segments by io_uring where the kernel allows it.</summary>
public sealed class RingSegmentTests(ITestOutputHelper output) : SegmentedFileDeviceTests(IOMode.Auto, output);
