namespace Faster.Log;

/// <summary>
/// Where those wait whom the progress of something concerns: threads that block, outside every epoch, parked operations
/// that are resumed, and tasks. Opened whenever they should look again.
/// </summary>
/// <remarks>
/// Thread-safe. A waiter checks its condition under the gate's lock, so no opening is missed: an opening that follows
/// the change of a condition either comes before the check, which sees the change, or finds the waiter.
/// </remarks>
internal sealed class WaitGate
{
    private readonly Lock _lock = new();
    private readonly List<(Func<bool>? Until, Action Resume)> _parked = [];
    private TaskCompletionSource? _opened;

    /// <summary>Lets everybody check again.</summary>
    public void Open()
    {
        List<Action>? resumed = null;
        TaskCompletionSource? opened;
        lock (_lock)
        {
            if (_parked.Count != 0) resumed = TakeReady();
            opened = _opened;
            _opened = null;
        }

        opened?.SetResult();
        if (resumed is null) return;
        List<Exception>? faults = null;
        foreach (Action resume in resumed)
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
    public void Park(Func<bool> condition, Action resume) => Park(condition, null, resume);

    /// <summary>
    /// Calls back once when the gate opens and the condition holds; at once when it holds already. An opening costs
    /// those who wait for something else one look, not an attempt.
    /// </summary>
    /// <param name="condition">
    /// Evaluated under the gate's lock, by every opening: it only looks. What makes it true opens the gate afterwards.
    /// </param>
    /// <param name="resume">Called without the lock.</param>
    public void ParkUntil(Func<bool> condition, Action resume) => Park(condition, condition, resume);

    private void Park(Func<bool> condition, Func<bool>? until, Action resume)
    {
        lock (_lock)
        {
            if (!condition())
            {
                _parked.Add((until, resume));
                return;
            }
        }

        resume();
    }

    private List<Action> TakeReady()
    {
        List<Action> ready = [];
        int kept = 0;
        for (int i = 0; i < _parked.Count; i++)
        {
            (Func<bool>? until, Action resume) = _parked[i];
            if (until is null || until()) ready.Add(resume);
            else _parked[kept++] = (until, resume);
        }

        _parked.RemoveRange(kept, _parked.Count - kept);
        return ready;
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
