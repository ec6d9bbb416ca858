using System.Buffers;

namespace Faster.MemoryProbe;

/// <summary>A store of bytes of any length.</summary>
[Store]
internal static partial class Blobs
{
    [InitialUpdater]
    private static void Start(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, IBufferWriter<byte> value) =>
        value.Write(input);

    [CopyUpdater]
    private static void Replace(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value) =>
        value.Write(input);
}
