namespace Faster.Compaction;

/// <summary>What compaction and truncation have done since the store was opened. Thread-safe.</summary>
internal sealed class CompactionFigures
{
    private long _runs, _copied, _bytesReclaimed;

    /// <summary>How many compactions have ended.</summary>
    public long Runs => Volatile.Read(ref _runs);

    /// <summary>How many records they have copied.</summary>
    public long RecordsCopied => Volatile.Read(ref _copied);

    /// <summary>The bytes of the log that were given up, by truncation too.</summary>
    public long BytesReclaimed => Volatile.Read(ref _bytesReclaimed);

    /// <summary>A compaction has ended.</summary>
    public void Count(CopyTally tally)
    {
        Interlocked.Increment(ref _runs);
        Interlocked.Add(ref _copied, tally.Copied);
    }

    /// <summary>A part of the log was given up.</summary>
    public void CountReclaimed(long bytes) => Interlocked.Add(ref _bytesReclaimed, bytes);
}
