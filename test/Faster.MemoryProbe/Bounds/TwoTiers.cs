namespace Faster.MemoryProbe.Bounds;

/// <summary>A store of bytes of the engine F2.</summary>
[Store(Engine = typeof(TieredEngine), Key = typeof(long), Value = typeof(byte[]))]
internal static partial class TwoTiers;
