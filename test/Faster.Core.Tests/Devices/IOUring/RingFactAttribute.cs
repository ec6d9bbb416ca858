using Faster.Devices.IOUring;
using Faster.Devices.Segments;

namespace Faster.Tests.Devices.IOUring;

/// <summary>A test that needs io_uring: skipped, with the system's reason, where it is refused.</summary>
public sealed class RingFactAttribute : FactAttribute
{
    public RingFactAttribute()
    {
        if (FileCalls.Real.Ring is not { } ring) Skip = "This system has no io_uring.";
        else if (!RingSupport.Of(ring, out string? refusal)) Skip = refusal;
    }
}
