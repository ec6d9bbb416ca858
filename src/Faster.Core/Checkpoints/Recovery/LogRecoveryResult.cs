using Faster.Log;

namespace Faster.Checkpoints.Recovery;

/// <summary>The result of a log's recovery.</summary>
/// <param name="BytesReplayed">The bytes of log that were replayed into the index.</param>
/// <param name="DiscardedRecords">The number of records of the version after the commit that were left out.</param>
/// <param name="Discarded">
/// The range of the durable log in which such records lie, which all later commits must name; null if none lie there.
/// </param>
internal readonly record struct LogRecoveryResult(
    long BytesReplayed, long DiscardedRecords, DiscardedRange? Discarded);
