namespace Faster;

/// <summary>Reports the progress of a recovery.</summary>
/// <param name="Step">The current step.</param>
/// <param name="BytesDone">The number of bytes of log, index and snapshots read so far.</param>
/// <param name="BytesTotal">The total number of bytes to read.</param>
public readonly record struct RecoveryProgress(RecoveryStep Step, long BytesDone, long BytesTotal);

/// <summary>The steps of a recovery (paper 004 §5.5).</summary>
public enum RecoveryStep
{
    /// <summary>Searching for the newest intact commit.</summary>
    FindingCommit,

    /// <summary>Reading the index checkpoint.</summary>
    ReadingIndex,

    /// <summary>Reading the tail of the log into memory.</summary>
    ReadingLog,

    /// <summary>Replaying the records after the index checkpoint to bring the index up to the commit.</summary>
    ReplayingLog,

    /// <summary>The store is open.</summary>
    Done,
}
