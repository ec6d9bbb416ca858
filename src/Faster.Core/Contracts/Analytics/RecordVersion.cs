using System.ComponentModel;

namespace Faster;

/// <summary>One record of a key's history.</summary>
/// <typeparam name="T">The type of a record.</typeparam>
/// <param name="Record">The record; a tombstone if the key was deleted.</param>
/// <param name="Address">The record's address in its log: lower addresses are older.</param>
/// <param name="Version">
/// The version of the store in which the record was written, last updated or copied by compaction
/// (<see cref="Commit.Version"/>). It is derived from eight bits and the newer records: exact unless more than 254
/// commits lie between two consecutive records.
/// </param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RecordVersion<T>(T Record, long Address, long Version);
