namespace Faster;

/// <summary>How far a recovery has come.</summary>
/// <param name="Step">What it does now.</param>
/// <param name="BytesDone">The bytes of log, index and snapshots read so far.</param>
/// <param name="BytesTotal">The bytes to read altogether.</param>
public readonly record struct RecoveryProgress(RecoveryStep Step, long BytesDone, long BytesTotal);

/// <summary>The steps of a recovery (paper 004 §5.5).</summary>
public enum RecoveryStep
{
    /// <summary>The newest intact commit is looked for.</summary>
    FindingCommit,

    /// <summary>The checkpoint of the index is read.</summary>
    ReadingIndex,

    /// <summary>The tail of the log is read into memory.</summary>
    ReadingLog,

    /// <summary>The index is brought up to the commit by the records after its checkpoint.</summary>
    ReplayingLog,

    /// <summary>The store is open.</summary>
    Done,
}
