namespace Faster;

/// <summary>
/// Tells a session's owner that pending operations have become ready. Thread-safe; waits may end early.
/// </summary>
internal sealed class ReadySignal
{
    private readonly Lock _lock = new();
    private TaskCompletionSource? _waiter;

    /// <summary>Ends the current wait, if there is one.</summary>
    public void Set()
    {
        TaskCompletionSource? waiter;
        lock (_lock)
        {
            waiter = _waiter;
            _waiter = null;
        }

        waiter?.SetResult();
    }

    /// <summary>A task that ends with the next <see cref="Set"/>; already ended when the condition holds.</summary>
    public Task WaitAsync(Func<bool> condition)
    {
        lock (_lock)
        {
            // Under the lock: a Set that follows what makes the condition true can't slip between look and wait.
            if (condition()) return Task.CompletedTask;
            _waiter ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _waiter.Task;
        }
    }
}
