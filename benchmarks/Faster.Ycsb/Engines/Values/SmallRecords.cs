namespace Faster.Ycsb.Engines.Values;

/// <summary>A store of bytes, in one tier or two, whose commits are measured.</summary>
[Store(Key = typeof(long), Value = typeof(byte[]), Also = [typeof(TieredEngine)])]
internal static partial class SmallRecords;
