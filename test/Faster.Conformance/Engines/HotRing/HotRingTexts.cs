using System.Buffers;
using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.HotRing;

/// <summary>Bytes that are appended to. Reads are the generator's own.</summary>
[Store(Engine = typeof(HotRingEngine))]
public static partial class HotRingTexts
{
    [ConcurrentWriter]
    private static bool Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newValue, ValueSlot value) =>
        TextFunctions.PutShared(newValue, value);

    [InitialUpdater]
    private static void Start(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, IBufferWriter<byte> value) =>
        TextFunctions.Start(input, value);

    [InPlaceUpdater]
    private static bool Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ValueSlot value) =>
        TextFunctions.Append(input, value);

    [CopyUpdater]
    private static void Copy(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value) =>
        TextFunctions.Join(old, input, value);
}
