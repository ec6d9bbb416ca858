using System.Buffers;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Engines.HotRing;

/// <summary>Bytes that are appended to. Reads are the generator's own.</summary>
[Store(Engine = typeof(HotRingEngine))]
public static partial class HotRingTexts
{
    [ConcurrentWriter]
    private static bool Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newValue, ValueSlot value)
    {
        if (!value.TryResize(newValue.Length)) return false;
        int half = newValue.Length / 2;
        newValue[..half].CopyTo(value.Bytes);
        Interleaving.Point();
        newValue[half..].CopyTo(value.Bytes[half..]);
        return true;
    }

    [InitialUpdater]
    private static void Start(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, IBufferWriter<byte> value)
    {
        Interleaving.Point();
        value.Write(input);
    }

    [InPlaceUpdater]
    private static bool Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ValueSlot value)
    {
        int length = value.Length;
        if (!value.TryResize(length + input.Length)) return false;
        Interleaving.Point();
        input.CopyTo(value.Bytes[length..]);
        return true;
    }

    [CopyUpdater]
    private static void Copy(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value)
    {
        value.Write(old);
        Interleaving.Point();
        value.Write(input);
    }
}
