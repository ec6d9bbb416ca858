using System.Diagnostics;
using Faster.Devices;
using Faster.Tests.Devices;

namespace Faster.Tests.Faults;

/// <summary>
/// A device that takes so many writes a second, one after another: a page that is written in two parts is on it in part
/// for half of the time.
/// </summary>
internal sealed class SlowWrites(Device inner, int writesPerSecond) : PassingDevice(inner)
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private readonly Lock _lock = new();
    private readonly Queue<IORequest> _waiting = new();
    private long _free; // when the next write may begin

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests)
        {
            if (request.Kind != IOKind.Write) base.Submit([request]);
            else lock (_lock) _waiting.Enqueue(request);
        }

        base.Wake(); // a thread that has found nothing waiting must look again
    }

    public override int Poll(Span<IORequest> completed)
    {
        lock (_lock)
        {
            long now = Stopwatch.GetTimestamp();
            if (_free <= now && _waiting.TryDequeue(out IORequest? request))
            {
                _free = now + (Stopwatch.Frequency / writesPerSecond);
                base.Submit([request]);
            }
        }

        return base.Poll(completed);
    }

    public override bool Wait(TimeSpan timeout)
    {
        bool isWaiting;
        lock (_lock) isWaiting = _waiting.Count != 0;
        if (!isWaiting) return base.Wait(timeout);
        _ = base.Wait(timeout < Tick ? timeout : Tick);
        return true;
    }
}
