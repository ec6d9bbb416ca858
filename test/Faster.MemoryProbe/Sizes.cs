namespace Faster.MemoryProbe;

/// <summary>
/// A store of bytes whose readers take only the length: what they leave on the heap is the store's own.
/// </summary>
[Store]
internal static partial class Sizes
{
    [SingleReader]
    private static void Read(long key, ReadOnlySpan<byte> value, out long output) => output = value.Length;

    [ConcurrentReader]
    private static void Peek(long key, ReadOnlySpan<byte> value, out long output) => output = value.Length;

    [CompletionCallback]
    private static void Done(Sum? context, Status status, long output) => context!.Total += output;

    /// <summary>What the reads of one session have found, of those that had to wait.</summary>
    internal sealed class Sum
    {
        public long Total { get; set; }
    }
}
