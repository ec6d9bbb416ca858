namespace Faster.Workload.Experiments;

/// <summary>How a compaction finds out which records are live.</summary>
internal enum CompactionMethod
{
    /// <summary>By a look-up for each record (paper 003 §5.2).</summary>
    Lookup,

    /// <summary>By a scan of the rest of the log, with the records in a table in memory (003 §3.1).</summary>
    Scan,
}
