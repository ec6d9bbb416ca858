namespace Faster.Log;

/// <summary>
/// Where those wait who found no free frame: threads that block, outside every epoch, and parked operations that are
/// resumed. Opened whenever a frame has been closed or a flush has failed.
/// </summary>
/// <remarks>Thread-safe. A waiter checks its condition under the gate's lock, so no opening is missed.</remarks>
internal sealed class FrameGate
{
    private readonly Lock _lock = new();
    private readonly List<Action> _parked = [];
    private TaskCompletionSource _opened = NewSource();

    /// <summary>Lets everybody check again.</summary>
    public void Open()
    {
        Action[] parked;
        TaskCompletionSource opened;
        lock (_lock)
        {
            parked = _parked.Count == 0 ? [] : [.. _parked];
            _parked.Clear();
            opened = _opened;
            _opened = NewSource();
        }

        opened.SetResult();
        foreach (Action resume in parked) resume();
    }

    /// <summary>Blocks until the gate opens, unless the condition holds already, or the time is over.</summary>
    public void Wait(Func<bool> condition, TimeSpan timeout)
    {
        Task opened;
        lock (_lock)
        {
            if (condition()) return;
            opened = _opened.Task;
        }

        opened.Wait(timeout);
    }

    /// <summary>Calls back once when the gate opens; at once when the condition holds already.</summary>
    public void Park(Func<bool> condition, Action resume)
    {
        lock (_lock)
        {
            if (!condition())
            {
                _parked.Add(resume);
                return;
            }
        }

        resume();
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
