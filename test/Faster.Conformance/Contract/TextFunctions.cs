using System.Buffers;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Contract;

/// <summary>
/// What the user functions of engines under test do whose values are bytes that are appended to: each has a call of
/// <see cref="Interleaving.Point"/>, and works in two parts what other threads may see.
/// </summary>
internal static class TextFunctions
{
    public static byte[] Get(ReadOnlySpan<byte> value)
    {
        Interleaving.Point();
        return value.ToArray();
    }

    // In two parts, so that a concurrent writer would show.
    public static byte[] GetShared(ReadOnlySpan<byte> value)
    {
        byte[] output = new byte[value.Length];
        int half = value.Length / 2;
        value[..half].CopyTo(output);
        Interleaving.Point();
        value[half..].CopyTo(output.AsSpan(half));
        return output;
    }

    public static void Put(ReadOnlySpan<byte> newValue, Span<byte> value)
    {
        Interleaving.Point();
        newValue.CopyTo(value);
    }

    public static bool PutShared(ReadOnlySpan<byte> newValue, ValueSlot value)
    {
        if (!value.TryResize(newValue.Length)) return false;
        int half = newValue.Length / 2;
        newValue[..half].CopyTo(value.Bytes);
        Interleaving.Point();
        newValue[half..].CopyTo(value.Bytes[half..]);
        return true;
    }

    public static void Start(ReadOnlySpan<byte> input, IBufferWriter<byte> value)
    {
        Interleaving.Point();
        value.Write(input);
    }

    public static bool Append(ReadOnlySpan<byte> input, ValueSlot value)
    {
        int length = value.Length;
        if (!value.TryResize(length + input.Length)) return false;
        Interleaving.Point();
        input.CopyTo(value.Bytes[length..]);
        return true;
    }

    public static void Join(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, IBufferWriter<byte> value)
    {
        value.Write(older);
        Interleaving.Point();
        value.Write(newer);
    }
}
