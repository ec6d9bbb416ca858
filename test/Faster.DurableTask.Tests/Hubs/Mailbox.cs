namespace Faster.DurableTask.Tests.Hubs;

/// <summary>The events that an orchestration has received, and what it waits for.</summary>
internal sealed class Mailbox
{
    private readonly Dictionary<string, Queue<string>> _events = [];
    private readonly Dictionary<string, Queue<TaskCompletionSource<string>>> _waiting = [];

    /// <summary>That of the orchestration that begins on this thread: to be taken before its first await.</summary>
    [ThreadStatic]
    public static Mailbox? Current;

    /// <summary>Adds an event.</summary>
    public void Add(string name, string input)
    {
        if (_waiting.TryGetValue(name, out var waiting) && waiting.TryDequeue(out var first)) first.SetResult(input);
        else Of(_events, name).Enqueue(input);
    }

    /// <summary>The next event of a name.</summary>
    public Task<string> NextAsync(string name)
    {
        if (_events.TryGetValue(name, out Queue<string>? events) && events.TryDequeue(out string? input))
            return Task.FromResult(input);
        TaskCompletionSource<string> next = new();
        Of(_waiting, name).Enqueue(next);
        return next.Task;
    }

    private static Queue<T> Of<T>(Dictionary<string, Queue<T>> all, string name)
    {
        if (!all.TryGetValue(name, out Queue<T>? queue)) all.Add(name, queue = new Queue<T>());
        return queue;
    }
}
