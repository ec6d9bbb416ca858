using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>What the recovery of a log has come to.</summary>
/// <param name="BytesReplayed">The bytes of log that the index was brought up by.</param>
/// <param name="AbandonedRecords">How many records of the version after the commit were left out.</param>
/// <param name="Abandoned">
/// Where such records lie on the durable log, so that all later commits must name them; null where none does.
/// </param>
internal readonly record struct LogRecoveryResult(
    long BytesReplayed, long AbandonedRecords, AbandonedRange? Abandoned);
