namespace Faster.Workload.Experiments;

/// <summary>An engine whose log is compacted when one asks for it.</summary>
internal interface ICompactingEngine : IEngine
{
    /// <summary>The bytes from the log's beginning to its tail.</summary>
    long LogBytes { get; }

    /// <summary>Copies what is live in the oldest part of the log to its tail, and drops that part.</summary>
    /// <param name="bytes">The length of the part.</param>
    /// <param name="method">How live records are found.</param>
    /// <exception cref="NotSupportedException">The engine has no such method.</exception>
    Task CompactAsync(long bytes, CompactionMethod method);
}
