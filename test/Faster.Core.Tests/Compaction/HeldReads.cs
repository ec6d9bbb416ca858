using Faster.Devices;
using Faster.Tests.Devices;

namespace Faster.Tests.Compaction;

/// <summary>A device that keeps reads back until a test lets them go on.</summary>
internal sealed class HeldReads(Device inner) : PassingDevice(inner)
{
    private readonly Lock _lock = new();
    private readonly List<IoRequest> _held = [];
    private volatile bool _holding;
    private long _end;

    /// <summary>How many reads are held.</summary>
    public int Count
    {
        get
        {
            lock (_lock) return _held.Count;
        }
    }

    /// <summary>Keeps reads back from now on.</summary>
    /// <param name="end">Only those that begin below it on the device.</param>
    public void Hold(long end = long.MaxValue)
    {
        _end = end;
        _holding = true;
    }

    /// <summary>Later reads go on; those that are held stay.</summary>
    public void HoldNoMore() => _holding = false;

    /// <summary>Lets those go on that are held.</summary>
    public void Release()
    {
        lock (_lock)
        {
            foreach (IoRequest request in _held) base.Submit([request]);
            _held.Clear();
        }

        Wake();
    }

    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        foreach (IoRequest request in requests)
        {
            if (_holding && request.Kind == IoKind.Read && request.Offset < _end)
            {
                lock (_lock) _held.Add(request);
                continue;
            }

            base.Submit([request]);
        }
    }
}
