namespace Faster.Workload.Cells;

/// <summary>What the reads of a workload are.</summary>
internal enum ReadKind
{
    /// <summary>Reads of loaded keys, all of which are known beforehand.</summary>
    Loaded,

    /// <summary>Reads of keys that were never loaded.</summary>
    Absent,

    /// <summary>Reads of loaded keys, each of which is known only when the value before it has been read.</summary>
    Dependent,
}
