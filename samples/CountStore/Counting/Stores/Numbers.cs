using Faster;

namespace CountStore.Counting.Stores;

/// <summary>Counts of numbers, on the engines FASTER and F2.</summary>
[Store(Also = [typeof(TieredEngine)])]
internal static partial class Numbers
{
    [InitialUpdater]
    private static void Start(ulong key, long input, ref long total) => total = input;

    [InPlaceUpdater]
    private static void Add(ulong key, long input, ref long total) => total += input;

    [CopyUpdater]
    private static void Copy(ulong key, long input, long old, ref long total) => total = old + input;

    [CompletionCallback]
    private static void End(UpdateContext context, Exception? error) => context.End(error);
}
