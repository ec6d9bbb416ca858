using Faster.Contracts;

namespace Faster.Analytics.Scans;

/// <summary>
/// A session of an engine whose records lie in memory in the order of their hashes, so that a scan can copy some of
/// them at a time.
/// </summary>
internal interface ICopyingSession : IEngineSession
{
    /// <summary>Copies some records under one epoch, in the order of their hashes.</summary>
    /// <param name="from">The smallest hash whose records are copied.</param>
    /// <param name="copies">Receives the records.</param>
    /// <returns>The hash at which to go on; 0 at the end.</returns>
    ulong CopyRecords(ulong from, RecordCopies copies);
}
