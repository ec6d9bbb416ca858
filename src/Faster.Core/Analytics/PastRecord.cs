namespace Faster;

/// <summary>A record of a key's history.</summary>
/// <typeparam name="T">The type of a record.</typeparam>
/// <param name="Record">The record; a tombstone where the key was deleted.</param>
/// <param name="Address">Where it lies in the log: the lower, the older.</param>
/// <param name="Version">
/// The version of the store in which it was written or last updated (<see cref="Commit.Version"/>). Told from eight
/// bits, by the records after it: exact unless more than 254 commits lie between two neighbours.
/// </param>
public readonly record struct PastRecord<T>(T Record, long Address, long Version);
