using DurableTask.Core;

namespace Faster.DurableTask.Hubs;

/// <summary>The callers that wait for instances to end.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class Waiters
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, List<TaskCompletionSource<OrchestrationState>>> _waiters = [];

    /// <summary>Adds a caller.</summary>
    public TaskCompletionSource<OrchestrationState> Add(string id)
    {
        TaskCompletionSource<OrchestrationState> waiter = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            if (!_waiters.TryGetValue(id, out var list)) _waiters.Add(id, list = []);
            list.Add(waiter);
        }

        return waiter;
    }

    /// <summary>Removes a caller.</summary>
    public void Remove(string id, TaskCompletionSource<OrchestrationState> waiter)
    {
        lock (_lock)
        {
            if (_waiters.TryGetValue(id, out var list) && list.Remove(waiter) && list.Count == 0) _waiters.Remove(id);
        }
    }

    /// <summary>Tells all callers that an instance has ended.</summary>
    public void Notify(string id, OrchestrationState state)
    {
        List<TaskCompletionSource<OrchestrationState>>? waiters;
        lock (_lock) _waiters.Remove(id, out waiters);
        foreach (TaskCompletionSource<OrchestrationState> waiter in waiters ?? []) waiter.TrySetResult(state);
    }

    /// <summary>Ends all waits: the hub closes.</summary>
    public void Close(Exception failure)
    {
        lock (_lock)
        {
            foreach (List<TaskCompletionSource<OrchestrationState>> waiters in _waiters.Values)
            {
                foreach (TaskCompletionSource<OrchestrationState> waiter in waiters) waiter.TrySetException(failure);
            }

            _waiters.Clear();
        }
    }

    /// <summary>The instances that callers wait for.</summary>
    public List<string> Ids()
    {
        lock (_lock) return [.. _waiters.Keys];
    }
}
