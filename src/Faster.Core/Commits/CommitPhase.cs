namespace Faster.Commits;

/// <summary>The phases of a commit of version v (paper 004 §5.3, Fig. 6).</summary>
internal enum CommitPhase
{
    /// <summary>No commit is under way: all operations belong to version v.</summary>
    Rest,

    /// <summary>Operations still belong to v, and take shared latches.</summary>
    Prepare,

    /// <summary>
    /// A session that enters has passed its commit point: its operations belong to v + 1, and copy the records of v
    /// instead of changing them.
    /// </summary>
    InProgress,

    /// <summary>All sessions have passed their commit points; pending operations of v are being completed.</summary>
    WaitPending,

    /// <summary>No operation of v is left; the records of v are captured.</summary>
    WaitFlush,

    /// <summary>
    /// All is captured. No operation supersedes a record until all operations that copied records of v have left; then
    /// those records are updated in place again. (Not in the paper: a copy that is linked after an update in place
    /// would lose the update.)
    /// </summary>
    Resume,
}
