namespace Faster.Tests.Engines.Example;

/// <summary>How often words occur: what a user writes, on the engine of the example and on FASTER.</summary>
[Store(Engine = typeof(ExampleEngine), Also = [typeof(FasterEngine)])]
internal static partial class WordCounts
{
    [InitialUpdater]
    private static void Start(string word, Func<long, long> input, ref long count, out long output) =>
        output = count = input(0);

    [CopyUpdater]
    private static void Copy(string word, Func<long, long> input, long old, ref long count, out long output) =>
        output = count = input(old);
}
