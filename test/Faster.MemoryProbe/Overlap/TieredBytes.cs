namespace Faster.MemoryProbe.Overlap;

/// <summary>A store of bytes on the engine F2.</summary>
[Store(Engine = typeof(TieredEngine), Key = typeof(long), Value = typeof(byte[]))]
internal static partial class TieredBytes;
