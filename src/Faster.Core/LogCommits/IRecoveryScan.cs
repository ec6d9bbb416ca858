using Faster.OperationLogs;

namespace Faster.LogCommits;

/// <summary>What the operation logs have that the recovered commit lacks, as they are read.</summary>
internal interface IRecoveryScan : ILogVisitor
{
    /// <summary>The highest version of a record; at least the commit's.</summary>
    long MaxVersion { get; }

    /// <summary>The highest number of a record.</summary>
    long MaxCounter { get; }

    /// <summary>The bytes of the records that the commit lacks.</summary>
    long Bytes { get; }

    /// <summary>The points at which named sessions go on.</summary>
    IReadOnlyList<CommitPoint> Points();
}
