using System.Diagnostics;
using Faster.Threads;

namespace Faster.Log;

/// <summary>
/// Wakes blocked threads (outside every epoch), parked operations and tasks so that they check their condition again.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No signal is missed: a waiter checks its condition under the gate's lock, so a signal that follows the change
/// of a condition either comes before the check, which then sees the change, or finds the waiter.</item>
/// <item>A parked operation is resumed once, without the lock.</item>
/// </list>
/// <para>Thread-safe. No thread waits for another one under the lock.</para>
/// </remarks>
internal sealed class WaitGate
{
    private readonly Lock _lock = new();
    private readonly List<(Func<bool>? Until, Action Resume)> _parked = [];
    private TaskCompletionSource? _opened;

    /// <summary>
    /// Wakes all waiters, and resumes parked operations, those of <see cref="ParkUntil"/> only if their condition
    /// holds.
    /// </summary>
    public void Signal()
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
                (faults ??= []).Add(e); // the others must still be resumed: nothing else does it
            }
        }

        if (faults is not null) throw new AggregateException("A parked operation could not be resumed.", faults);
    }

    /// <summary>Blocks until the next signal or a timeout; returns at once when the condition holds.</summary>
    public void Wait(Func<bool> condition, TimeSpan timeout)
    {
        if (NextOpening(condition) is { } opened) opened.Wait(timeout);
    }

    /// <summary>Blocks until the condition holds or a timeout.</summary>
    /// <param name="condition">Evaluated under the gate's lock: it must only read.</param>
    /// <param name="timeout">The maximum time.</param>
    public void WaitFor(Func<bool> condition, TimeSpan timeout)
    {
        long began = Stopwatch.GetTimestamp();
        while (NextOpening(condition) is { } opened)
        {
            TimeSpan left = timeout - Stopwatch.GetElapsedTime(began);
            if (left <= TimeSpan.Zero || !opened.Wait(left)) return;
        }
    }

    /// <summary>Waits for signals until the condition holds.</summary>
    /// <param name="condition">Evaluated under the gate's lock: it must only read.</param>
    /// <param name="ct">Cancels the waiting.</param>
    /// <exception cref="OperationCanceledException">The waiting was canceled.</exception>
    public async Task WaitForAsync(Func<bool> condition, CancellationToken ct)
    {
        while (NextOpening(condition) is { } opened) await opened.OrCanceled(ct).Here();
    }

    /// <summary>Calls back once at the next signal; at once when the condition holds already.</summary>
    public void Park(Func<bool> condition, Action resume) => Park(condition, null, resume);

    /// <summary>
    /// Calls back once at a signal with the condition true; at once when it holds already. A signal costs operations
    /// that wait for something else one check of a condition, not an attempt.
    /// </summary>
    /// <param name="condition">
    /// Evaluated under the gate's lock, at every signal: it must only read. The code that makes it true signals the
    /// gate afterwards.
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
        List<Action> ready = new(_parked.Count);
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
