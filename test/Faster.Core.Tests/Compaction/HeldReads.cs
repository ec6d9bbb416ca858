using System.Diagnostics;
using Faster.Devices;
using Faster.Operations.Waiting;
using Faster.Tests.Devices;

namespace Faster.Tests.Compaction;

/// <summary>A device that holds the reads of its first bytes until a test releases them.</summary>
/// <remarks>
/// A read that is kept back also stops every other read that joins it, because reads of the same blocks share one
/// request. Whatever the test then waits for must not need those blocks: keep one record alone in them, at the
/// beginning of the log, where no chain has an older record.
/// </remarks>
internal sealed class HeldReads(Device inner) : PassingDevice(inner)
{
    private readonly Lock _lock = new();
    private readonly List<IORequest> _held = [];
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

    /// <summary>Holds reads from now on.</summary>
    /// <param name="end">Only those that begin below it on the device.</param>
    public void Hold(long end)
    {
        _end = end;
        _holding = true;
    }

    /// <summary>Waits until one read is held; later reads go on.</summary>
    /// <param name="poll">Called while it waits: what takes the completions of earlier reads.</param>
    public async Task HoldOneAsync(Action? poll = null)
    {
        await HeldAsync(1, poll);
        _holding = false;
        Assert.Equal(1, Count);
    }

    /// <summary>Waits until so many reads are held; later ones are held, too.</summary>
    /// <param name="count">How many.</param>
    /// <param name="poll">Called while it waits: what takes the completions of earlier reads.</param>
    public async Task HeldAsync(int count, Action? poll = null)
    {
        long start = Stopwatch.GetTimestamp();
        while (Count < count)
        {
            poll?.Invoke();
            Assert.True(
                Stopwatch.GetElapsedTime(start) < TestBudget.StallTimeout,
                $"{Count} reads began below {_end} on the device, not {count}.");
            await Task.Yield();
        }
    }

    /// <summary>Lets later reads go on; those that are held stay so.</summary>
    public void HoldNoMore() => _holding = false;

    /// <summary>Submits one of the reads that are held; the others stay so.</summary>
    /// <param name="index">Which; the first is held longest.</param>
    public void ReleaseOne(int index = 0)
    {
        lock (_lock)
        {
            base.Submit([_held[index]]);
            _held.RemoveAt(index);
        }

        Wake();
    }

    /// <summary>Submits the reads that are held, and holds no more.</summary>
    public void Release()
    {
        _holding = false;
        lock (_lock)
        {
            foreach (IORequest request in _held) base.Submit([request]);
            _held.Clear();
        }

        Wake();
    }

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests)
        {
            if (_holding && request.Kind == IOKind.Read && request.Offset < _end)
            {
                lock (_lock) _held.Add(request);
                continue;
            }

            base.Submit([request]);
        }
    }
}
