namespace Faster.Operations.Waiting;

/// <summary>How a thread waits before it tries an operation again (<see cref="WaitRule"/>).</summary>
internal enum WaitForm
{
    /// <summary>Not at all: the next attempt does not meet what stopped this one.</summary>
    None,

    /// <summary>It lets other threads run that hold what it needs, for a moment.</summary>
    Yield,

    /// <summary>It helps to resize the index, and may find that this needs space in the log first.</summary>
    Resize,

    /// <summary>It blocks until the log has a free page frame.</summary>
    Space,

    /// <summary>It blocks until a commit has freed operation logs.</summary>
    Commit,

    /// <summary>It writes the fragments of the new value.</summary>
    Write,

    /// <summary>
    /// Without a thread: the operation is pending, and is continued when the read, the write or the wait has ended that
    /// <see cref="LogSessions.Pending.PendingOperation.StartWaiting"/> starts.
    /// </summary>
    Pending,
}
