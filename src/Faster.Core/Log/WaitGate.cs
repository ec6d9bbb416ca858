namespace Faster.Log;

/// <summary>
/// Where those wait whom the progress of something concerns: threads that block, outside every epoch, parked operations
/// that are resumed, and tasks. Opened whenever they should look again.
/// </summary>
/// <remarks>Thread-safe. A waiter checks its condition under the gate's lock, so no opening is missed.</remarks>
internal sealed class WaitGate
{
    private readonly Lock _lock = new();
    private readonly List<Action> _parked = [];
    private TaskCompletionSource? _opened;

    /// <summary>Lets everybody check again.</summary>
    public void Open()
    {
        Action[] parked;
        TaskCompletionSource? opened;
        lock (_lock)
        {
            parked = _parked.Count == 0 ? [] : [.. _parked];
            _parked.Clear();
            opened = _opened;
            _opened = null;
        }

        opened?.SetResult();
        List<Exception>? faults = null;
        foreach (Action resume in parked)
        {
            try
            {
                resume();
            }
            catch (Exception e)
            {
                (faults ??= []).Add(e); // the others must be resumed all the same: nobody else does
            }
        }

        if (faults is not null) throw new AggregateException("A parked operation could not be resumed.", faults);
    }

    /// <summary>Blocks until the gate opens, unless the condition holds already, or the time is over.</summary>
    public void Wait(Func<bool> condition, TimeSpan timeout)
    {
        if (NextOpening(condition) is { } opened) opened.Wait(timeout);
    }

    /// <summary>Waits, as often as the gate opens, until the condition holds.</summary>
    /// <param name="condition">Evaluated under the gate's lock: it only looks.</param>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="OperationCanceledException">The waiting was cancelled.</exception>
    public async Task WaitForAsync(Func<bool> condition, CancellationToken ct)
    {
        while (NextOpening(condition) is { } opened) await opened.WaitAsync(ct).ConfigureAwait(false);
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

    private Task? NextOpening(Func<bool> condition)
    {
        lock (_lock)
        {
            if (condition()) return null;
            _opened ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _opened.Task;
        }
    }
}
