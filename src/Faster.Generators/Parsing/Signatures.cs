using Faster.Generators.Models;

namespace Faster.Generators.Parsing;

/// <summary>The right signature of each user function, for the message that refuses a wrong one.</summary>
internal static class Signatures
{
    public static string Of(FunctionKind kind, string name, bool isRaw) => isRaw ? OfBytes(kind, name) : kind switch
    {
        FunctionKind.SingleReader or FunctionKind.ConcurrentReader =>
            $"static void {name}([TKey key,] [TInput input,] TValue value, out TOutput output)",
        FunctionKind.SingleWriter => $"static void {name}([TKey key,] TValue newValue, ref TValue value)",
        FunctionKind.ConcurrentWriter => $"static void|bool {name}([TKey key,] TValue newValue, ref TValue value)",
        FunctionKind.InitialUpdater => $"static void {name}([TKey key,] [TInput input,] ref TValue value)",
        FunctionKind.InPlaceUpdater => $"static void|bool {name}([TKey key,] [TInput input,] ref TValue value)",
        FunctionKind.CopyUpdater =>
            $"static void {name}([TKey key,] [TInput input,] TValue oldValue, ref TValue value)",
        FunctionKind.Merger => $"static void {name}([TKey key,] TValue older, ref TValue newer)",
        _ => Callback(name),
    };

    private static string OfBytes(FunctionKind kind, string name) => kind switch
    {
        FunctionKind.SingleReader or FunctionKind.ConcurrentReader =>
            $"static void {name}([TKey key,] [TInput input,] ReadOnlySpan<byte> value, out TOutput output)",
        FunctionKind.SingleWriter =>
            $"static void {name}([TKey key,] ReadOnlySpan<byte> newValue, Span<byte> value)",
        FunctionKind.ConcurrentWriter =>
            $"static bool {name}([TKey key,] ReadOnlySpan<byte> newValue, ValueSlot value)",
        FunctionKind.InitialUpdater =>
            $"static void {name}([TKey key,] [TInput input,] IBufferWriter<byte> value)",
        FunctionKind.InPlaceUpdater => $"static bool {name}([TKey key,] [TInput input,] ValueSlot value)",
        FunctionKind.CopyUpdater =>
            $"static void {name}([TKey key,] [TInput input,] ReadOnlySpan<byte> oldValue, IBufferWriter<byte> value)",
        FunctionKind.Merger => $"static void {name}([TKey key,] ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, "
            + "IBufferWriter<byte> merged)",
        _ => Callback(name),
    };

    private static string Callback(string name) =>
        $"static void {name}([TContext context,] [Status status,] [TOutput output,] [Exception? error])";
}
