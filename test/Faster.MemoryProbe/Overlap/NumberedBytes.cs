namespace Faster.MemoryProbe.Overlap;

/// <summary>A store of bytes on the engine FASTER.</summary>
[Store(Key = typeof(long), Value = typeof(byte[]))]
internal static partial class NumberedBytes;
