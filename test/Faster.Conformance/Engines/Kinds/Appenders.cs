using System.Buffers;
using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Latched;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Bytes that are appended to. All eight user functions are written out.</summary>
[Store(Also = [typeof(TieredEngine), typeof(HotRingEngine), typeof(TransactionalEngine), typeof(LatchedEngine)])]
public static partial class Appenders
{
    [SingleReader]
    private static void Get(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out byte[] output) =>
        output = TextFunctions.Get(value);

    [ConcurrentReader]
    private static void GetShared(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out byte[] output) =>
        output = TextFunctions.GetShared(value);

    [SingleWriter]
    private static void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newValue, Span<byte> value) =>
        TextFunctions.Put(newValue, value);

    [ConcurrentWriter]
    private static bool PutShared(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newValue, ValueSlot value) =>
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

    [CompletionCallback]
    private static void Done(PendingTicket<byte[]>? context, Status status, byte[]? output, Exception? error) =>
        context?.Tell(status, output!, error);
}
