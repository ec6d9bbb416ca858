namespace Faster.Compaction.Lookups;

/// <summary>The records whose look-ups are put off.</summary>
/// <param name="Count">Their number.</param>
/// <param name="Bytes">Their size.</param>
internal readonly record struct PutOffRecords(long Count, long Bytes);
