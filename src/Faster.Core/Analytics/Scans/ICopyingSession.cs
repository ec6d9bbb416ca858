using Faster.Contracts;

namespace Faster.Analytics.Scans;

/// <summary>
/// A session of an engine whose records lie in memory in some order, for example that of their hashes, so that a scan
/// can copy some of them at a time. A scan has a session of its own, which may keep its place.
/// </summary>
internal interface ICopyingSession : IEngineSession
{
    /// <summary>Copies some records in one call, in their order.</summary>
    /// <param name="from">Where to begin, for example the smallest hash; 0 at the start.</param>
    /// <param name="copies">Receives the records.</param>
    /// <returns>Where to go on; 0 at the end.</returns>
    ulong CopyRecords(ulong from, RecordCopies copies);
}
