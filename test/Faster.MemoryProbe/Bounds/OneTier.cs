namespace Faster.MemoryProbe.Bounds;

/// <summary>A store of bytes of the engine FASTER, also in memory.</summary>
[Store(Key = typeof(long), Value = typeof(byte[]))]
internal static partial class OneTier;
