namespace Faster.Persistence;

/// <summary>Waits for a ticket without a thread.</summary>
internal interface IDurableWaiter
{
    /// <summary>Called once, on the thread pool, when the ticket is durable or never will be.</summary>
    /// <param name="error">Why it never will be; null: it is durable.</param>
    void OnDurable(Exception? error);
}
