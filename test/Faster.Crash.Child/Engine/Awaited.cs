namespace Faster.Crash.Engine;

/// <summary>The task that the caller of an awaited operation waits for. Thread-safe.</summary>
internal sealed class Awaited
{
    private readonly TaskCompletionSource _source = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when the operation has.</summary>
    public Task Task => _source.Task;

    /// <summary>The operation has ended.</summary>
    public void Complete(Exception? error)
    {
        if (error is null) _source.SetResult();
        else _source.SetException(error);
    }
}
