using Faster.Contracts;

namespace Faster.Operations.Waiting;

/// <summary>
/// The one rule for waiting: how each thread waits for what an attempt has lacked.
/// <see cref="LogSessions.OperationRunner"/> follows it for callers,
/// <see cref="LogSessions.Pending.TypedPendingOperation{TAlgorithm,TOperation}"/> for operations that are pending, and
/// <see cref="StallTimeout"/> ends waits without progress.
/// </summary>
/// <remarks>
/// <code>
/// outcome            waits for                    Caller    AwaitedCaller  Owner     Worker
/// OnDisk, Large,
///   EntryOnDisk      a read                       Pending   Pending        Pending   Pending
/// Oversized          the write of fragments       Write     Pending        Pending   Pending
/// AllocationFailed   a page frame                 Space     Pending        Space     Pending
/// BucketLatched      operations of the commit     Pending   Pending        Pending   Pending
///                    ... for a moment             Yield     Yield          Yield     Yield
/// IndexResizing      a chunk of the index         Resize    Resize         Resize    Resize
/// CprShift, Expired  nothing: search again        None      None           None      None
/// Retry, Fuzzy,
///   LogsBusy         a latch, a race, a marker    Yield     Yield          Yield     Yield
/// LogsFull           a commit                     Commit    Pending        Commit    Yield
/// </code>
/// All waits are outside every epoch, and nothing is held meanwhile.
/// </remarks>
internal static class WaitRule
{
    /// <summary>How a thread waits after an attempt that did not end the operation.</summary>
    /// <param name="outcome">How the attempt ended.</param>
    /// <param name="waiter">The thread.</param>
    /// <param name="isHeldUp">
    /// Whether pending operations of the version being committed hold the key's bucket, which may take as long as a
    /// read. Matters for <see cref="Outcome.BucketLatched"/> only.
    /// </param>
    public static WaitForm FormOf(Outcome outcome, Waiter waiter, bool isHeldUp) => outcome switch
    {
        Outcome.OnDisk or Outcome.Large or Outcome.EntryOnDisk => WaitForm.Pending,
        Outcome.Oversized => waiter == Waiter.Caller ? WaitForm.Write : WaitForm.Pending,
        Outcome.AllocationFailed => waiter is Waiter.Caller or Waiter.Owner ? WaitForm.Space : WaitForm.Pending,
        Outcome.BucketLatched when isHeldUp => WaitForm.Pending,
        Outcome.IndexResizing => WaitForm.Resize,
        Outcome.LogsFull when waiter is Waiter.Caller or Waiter.Owner => WaitForm.Commit,
        Outcome.LogsFull when waiter == Waiter.AwaitedCaller => WaitForm.Pending,
        Outcome.CprShift or Outcome.Expired => WaitForm.None,
        _ => WaitForm.Yield,
    };

    /// <summary>
    /// Whether an operation may go pending after this outcome. The attempt that decides it is not the one that made the
    /// thread wait, and may have met something else.
    /// </summary>
    public static bool MayPend(Outcome outcome) => outcome is Outcome.OnDisk or Outcome.Large or Outcome.EntryOnDisk
        or Outcome.Oversized or Outcome.AllocationFailed or Outcome.BucketLatched or Outcome.LogsFull;
}
