namespace Faster.MemoryProbe;

/// <summary>A store of bytes of any length on the engine HotRing.</summary>
[Store(Engine = typeof(HotRingEngine), Key = typeof(long), Value = typeof(byte[]))]
internal static partial class RingBlobs;
