namespace Faster.LogSessions.Pending;

/// <summary>
/// Signals a session's owner that pending operations have become ready. Thread-safe; waits may end early.
/// </summary>
/// <remarks>
/// A waiter registers first and reads the condition then; a thread that makes the condition true reads the number of
/// waiters afterwards. Each has a full fence between, so at least one of the two sees the other. A signal without
/// waiters takes no lock.
/// </remarks>
/// <param name="condition">Whether the wait is over.</param>
internal sealed class ReadySignal(Func<bool> condition)
{
    private readonly object _gate = new();
    private TaskCompletionSource? _task;
    private int _blocked;   // threads
    private int _waiting;   // threads and task

    /// <summary>Ends the current waits, if there are any. Called after the condition has become true.</summary>
    public void Set()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _waiting) == 0) return;
        TaskCompletionSource? task;
        lock (_gate)
        {
            task = _task;
            _task = null;
            Volatile.Write(ref _waiting, _blocked);
            Monitor.PulseAll(_gate);
        }

        task?.SetResult();
    }

    /// <summary>Blocks until the condition holds.</summary>
    public void Wait()
    {
        lock (_gate)
        {
            _blocked++;
            _waiting++;
            Interlocked.MemoryBarrier();
            while (!condition()) Monitor.Wait(_gate);
            _blocked--;
            _waiting--;
        }
    }

    /// <summary>A task that ends with the next <see cref="Set"/>; already ended when the condition holds.</summary>
    public Task WaitAsync()
    {
        lock (_gate)
        {
            if (_task is null)
            {
                _task = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                _waiting++;
            }

            Interlocked.MemoryBarrier();
            return condition() ? Task.CompletedTask : _task.Task;
        }
    }
}
