using Faster.Devices.Segments;

namespace Faster.Devices.IOUring;

/// <summary>The way of a device's requests into the ring of another device: one wait in the kernel for both.</summary>
/// <remarks>
/// The thread that polls gets the completions of all devices that share the ring. Thread-safe, as the ring is. The ring
/// is closed by the device that has opened it.
/// </remarks>
/// <param name="ring">The ring.</param>
/// <param name="route">The files of the device that joins.</param>
internal sealed class JoinedRingQueue(RingQueue ring, SegmentRoute route) : IOQueue
{
    /// <inheritdoc/>
    public override int Depth => ring.Depth;

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests) => ring.Submit(requests, route);

    /// <inheritdoc/>
    public override void Add(IORequest request) => ring.Add(request, route);

    /// <inheritdoc/>
    public override void Flush() => ring.Flush();

    /// <inheritdoc/>
    public override int Poll(Span<IORequest> completed) => ring.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout, int wanted = 1) => ring.Wait(timeout, wanted);

    /// <inheritdoc/>
    public override void Wake() => ring.Wake();

    /// <summary>Nothing: the ring is not this queue's.</summary>
    public override void Dispose()
    {
    }
}
