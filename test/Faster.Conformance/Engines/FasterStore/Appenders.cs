using System.Buffers;
using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>Bytes that are appended to.</summary>
[Store]
public static partial class Appenders
{
    [InitialUpdater]
    private static void Start(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, IBufferWriter<byte> value) =>
        value.Write(input);

    [InPlaceUpdater]
    private static bool Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ValueSlot value)
    {
        int length = value.Length;
        if (!value.TryResize(length + input.Length)) return false;
        input.CopyTo(value.Bytes[length..]);
        return true;
    }

    [CopyUpdater]
    private static void Copy(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value)
    {
        value.Write(old);
        value.Write(input);
    }

    [CompletionCallback]
    private static void Done(PendingTicket<byte[]>? context, Status status, byte[]? output, Exception? error) =>
        context?.Tell(status, output!, error);
}
