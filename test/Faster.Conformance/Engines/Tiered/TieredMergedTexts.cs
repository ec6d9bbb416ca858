using System.Buffers;
using Faster.Conformance.Contract;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>
/// Bytes that are appended to, and merged from deltas, on the engine F2. Appending does not commute: a delta out of
/// order would show.
/// </summary>
[Store(Engine = typeof(TieredEngine))]
public static partial class TieredMergedTexts
{
    [SingleReader]
    private static void Get(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out byte[] output)
    {
        Interleaving.Point();
        output = value.ToArray();
    }

    [ConcurrentReader]
    private static void GetShared(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out byte[] output)
    {
        // In two parts, so that a concurrent writer would show.
        output = new byte[value.Length];
        int half = value.Length / 2;
        value[..half].CopyTo(output);
        Interleaving.Point();
        value[half..].CopyTo(output.AsSpan(half));
    }

    [SingleWriter]
    private static void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newValue, Span<byte> value)
    {
        Interleaving.Point();
        newValue.CopyTo(value);
    }

    [ConcurrentWriter]
    private static bool PutShared(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newValue, ValueSlot value)
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

    [Merger]
    private static void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, IBufferWriter<byte> merged)
    {
        merged.Write(older);
        Interleaving.Point();
        merged.Write(newer);
    }

    [CompletionCallback]
    private static void Done(PendingTicket<byte[]>? context, Status status, byte[]? output, Exception? error) =>
        context?.Tell(status, output!, error);
}
