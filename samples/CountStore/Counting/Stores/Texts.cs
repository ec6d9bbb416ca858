using Faster;

namespace CountStore.Counting.Stores;

/// <summary>Counts of texts, by their bytes, on the engines FASTER and F2.</summary>
[Store(Also = [typeof(TieredEngine)])]
internal static partial class Texts
{
    [InitialUpdater]
    private static void Start(ReadOnlySpan<byte> key, long input, ref long total) => total = input;

    [InPlaceUpdater]
    private static void Add(ReadOnlySpan<byte> key, long input, ref long total) => total += input;

    [CopyUpdater]
    private static void Copy(ReadOnlySpan<byte> key, long input, long old, ref long total) => total = old + input;

    [CompletionCallback]
    private static void End(UpdateContext context, Exception? error) => context.End(error);
}
