using Faster.Devices;

namespace Faster.Crash.Swarm;

/// <summary>
/// A log whose writes are held back and released one by one, in any order: what is flushed then ends in the middle of
/// pages, and inside records.
/// </summary>
/// <remarks>
/// Nothing is held for long, even if the driver blocks: a timer releases it. Thread-safe as <see cref="Device"/> says.
/// </remarks>
internal sealed class GatedDevice : Device
{
    private readonly Device _inner;
    private readonly SwarmGate _gate;
    private readonly List<IORequest> _held = [];
    private readonly Lock _lock = new();

    /// <summary>A device behind a gate.</summary>
    public GatedDevice(Device inner, SwarmGate gate)
    {
        (_inner, _gate) = (inner, gate);
        gate.Opened += ReleaseAll; // a store of two tiers has three logs
        gate.Release += Release;
    }

    public override int SectorSize => _inner.SectorSize;

    public override string Name => _inner.Name;

    public override (string Place, long Offset) Locate(long offset) => _inner.Locate(offset);

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        if (!_gate.HoldsLog)
        {
            _inner.Submit(requests);
            return;
        }

        foreach (IORequest request in requests)
        {
            lock (_lock)
            {
                // A hold that ended meanwhile has released what it found, under this lock.
                if (request.Kind == IOKind.Write && _gate.HoldsLog)
                {
                    _held.Add(request);
                    continue;
                }
            }

            IORequest passes = request;
            _inner.Submit(new ReadOnlySpan<IORequest>(ref passes));
        }
    }

    public override int Poll(Span<IORequest> completed) => _inner.Poll(completed);

    public override bool Wait(TimeSpan timeout) => _inner.Wait(timeout);

    public override void Wake() => _inner.Wake();

    public override void Sync() => _inner.Sync();

    public override void TruncateBelow(long offset) => _inner.TruncateBelow(offset);

    internal override IOQueue? TryOpenQueue() => _inner.TryOpenQueue();

    internal override void CloseQueue(IOQueue queue) => _inner.CloseQueue(queue);

    protected override void Dispose(bool disposing)
    {
        _gate.Open();
        _inner.Dispose();
    }

    private void ReleaseAll() => Release(int.MaxValue);

    private void Release(int count)
    {
        IORequest[] released;
        lock (_lock)
        {
            count = Math.Min(count, _held.Count);
            released = [.. _held[..count]];
            _held.RemoveRange(0, count);
        }

        if (released.Length != 0) _inner.Submit(released);
    }
}
