using Faster.Compaction.Copying;

namespace Faster.Compaction;

/// <summary>Counts what compaction and truncation have done since the store was opened. Thread-safe.</summary>
internal sealed class CompactionFigures
{
    private long _runs, _copied, _bytesReclaimed;

    /// <summary>The number of compactions that have ended.</summary>
    public long Runs => Volatile.Read(ref _runs);

    /// <summary>The number of records that they have copied.</summary>
    public long RecordsCopied => Volatile.Read(ref _copied);

    /// <summary>The bytes of the log that were reclaimed, including those of truncations without compaction.</summary>
    public long BytesReclaimed => Volatile.Read(ref _bytesReclaimed);

    /// <summary>Called when a compaction has ended.</summary>
    public void Count(CopyCounters counters)
    {
        Interlocked.Increment(ref _runs);
        Interlocked.Add(ref _copied, counters.Copied);
    }

    /// <summary>Called when a part of the log was truncated.</summary>
    public void CountReclaimed(long bytes) => Interlocked.Add(ref _bytesReclaimed, bytes);
}
