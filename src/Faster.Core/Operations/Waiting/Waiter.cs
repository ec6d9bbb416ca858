namespace Faster.Operations.Waiting;

/// <summary>
/// Which thread makes the attempts of an operation, and so waits between them (<see cref="WaitRule"/>).
/// </summary>
internal enum Waiter
{
    /// <summary>The thread of a call that is not awaited, or of any call where nothing can park: it blocks.</summary>
    Caller,

    /// <summary>The thread of an awaited call: it parks the operation rather than block.</summary>
    AwaitedCaller,

    /// <summary>The thread of a session that completes its own pending operations: it blocks.</summary>
    Owner,

    /// <summary>
    /// A thread of the store, which continues operations of many sessions: it blocks for none of them.
    /// </summary>
    Worker,
}
