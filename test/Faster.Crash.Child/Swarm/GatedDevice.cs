using Faster.Devices;

namespace Faster.Crash.Swarm;

/// <summary>
/// A log whose writes are held back and let go one by one, in any order: what is flushed then ends in the middle of
/// pages, and inside records.
/// </summary>
/// <remarks>
/// Nothing is held for long, however the driver blocks: a timer lets it go. Thread-safe as <see cref="Device"/> says.
/// </remarks>
internal sealed class GatedDevice : Device
{
    private readonly Device _inner;
    private readonly SwarmGate _gate;
    private readonly List<IoRequest> _held = [];
    private readonly Lock _lock = new();

    /// <summary>A device behind a gate.</summary>
    public GatedDevice(Device inner, SwarmGate gate)
    {
        (_inner, _gate) = (inner, gate);
        gate.Opened = LetGoAll;
        gate.LetGo = LetGo;
    }

    public override int SectorSize => _inner.SectorSize;

    public override string Name => _inner.Name;

    public override (string Place, long Offset) Locate(long offset) => _inner.Locate(offset);

    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        if (!_gate.HoldsLog)
        {
            _inner.Submit(requests);
            return;
        }

        foreach (IoRequest request in requests)
        {
            lock (_lock)
            {
                // A hold that ended meanwhile lets go what it finds, under this lock.
                if (request.Kind == IoKind.Write && _gate.HoldsLog)
                {
                    _held.Add(request);
                    continue;
                }
            }

            IoRequest passes = request;
            _inner.Submit(new ReadOnlySpan<IoRequest>(ref passes));
        }
    }

    public override int Poll(Span<IoRequest> completed) => _inner.Poll(completed);

    public override bool Wait(TimeSpan timeout) => _inner.Wait(timeout);

    public override void Wake() => _inner.Wake();

    public override void Sync() => _inner.Sync();

    public override void TruncateBelow(long offset) => _inner.TruncateBelow(offset);

    internal override IoQueue? TryOpenQueue() => _inner.TryOpenQueue();

    internal override void CloseQueue(IoQueue queue) => _inner.CloseQueue(queue);

    protected override void Dispose(bool disposing)
    {
        _gate.Open();
        _inner.Dispose();
    }

    private void LetGoAll() => LetGo(int.MaxValue);

    private void LetGo(int count)
    {
        IoRequest[] released;
        lock (_lock)
        {
            count = Math.Min(count, _held.Count);
            released = [.. _held[..count]];
            _held.RemoveRange(0, count);
        }

        if (released.Length != 0) _inner.Submit(released);
    }
}
