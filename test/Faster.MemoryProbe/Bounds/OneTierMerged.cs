using System.Buffers;

namespace Faster.MemoryProbe.Bounds;

/// <summary>A store of the engine FASTER whose updates merge.</summary>
[Store(Key = typeof(long), Value = typeof(byte[]))]
internal static partial class OneTierMerged
{
    [CopyUpdater]
    private static void Update(ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value) =>
        value.Write(input);

    [InitialUpdater]
    private static void Start(ReadOnlySpan<byte> input, IBufferWriter<byte> value) => value.Write(input);

    [Merger]
    private static void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, IBufferWriter<byte> merged) =>
        merged.Write(newer);
}
