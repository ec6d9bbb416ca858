using Faster.Devices;

namespace Faster.Tests.Compaction;

/// <summary>A device that keeps reads back until a test lets them go on.</summary>
internal sealed class HeldReads(Device inner) : Device
{
    private readonly Lock _lock = new();
    private readonly List<IoRequest> _held = [];
    private volatile bool _holding;

    public override int SectorSize => inner.SectorSize;

    public override string Name => inner.Name;

    public void Hold() => _holding = true;

    /// <summary>Later reads go on; those that are held stay.</summary>
    public void HoldNoMore() => _holding = false;

    /// <summary>Lets those go on that are held.</summary>
    public void Release()
    {
        lock (_lock)
        {
            foreach (IoRequest request in _held) inner.Submit([request]);
            _held.Clear();
        }

        inner.Wake();
    }

    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        foreach (IoRequest request in requests)
        {
            if (_holding && request.Kind == IoKind.Read)
            {
                lock (_lock) _held.Add(request);
                continue;
            }

            inner.Submit([request]);
        }
    }

    public override int Poll(Span<IoRequest> completed) => inner.Poll(completed);

    public override bool Wait(TimeSpan timeout) => inner.Wait(timeout);

    public override void Wake() => inner.Wake();

    public override void Sync() => inner.Sync();

    public override void TruncateBelow(long offset) => inner.TruncateBelow(offset);

    protected override void Dispose(bool disposing)
    {
        if (disposing) inner.Dispose();
    }
}
