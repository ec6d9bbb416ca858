namespace Faster.Commits;

/// <summary>The phases of a commit of version v (paper 004 §5.3, Fig. 6).</summary>
internal enum CommitPhase
{
    /// <summary>No commit: everybody works at version v.</summary>
    Rest,

    /// <summary>Operations belong to v still, and take shared latches.</summary>
    Prepare,

    /// <summary>
    /// Who enters has passed its commit point: operations belong to v + 1, and leave v's records alone.
    /// </summary>
    InProgress,

    /// <summary>Everybody has passed its commit point; operations of v that wait for the disk are completed.</summary>
    WaitPending,

    /// <summary>No operation of v is left; what v consists of is captured.</summary>
    WaitFlush,

    /// <summary>
    /// All is captured; nobody supersedes a record, until those who copied v's records have left. Then they are
    /// updated in place again. (Not in the paper: a copy that is linked after an update in place would lose it.)
    /// </summary>
    Resume,
}
