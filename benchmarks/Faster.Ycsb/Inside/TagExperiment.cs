using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Engines;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Inside;

/// <summary>Throughput of a store in memory whose index has tags of some bits (paper 000, §7.2.2).</summary>
internal static class TagExperiment
{
    private const double WarmUpSeconds = 1;

    /// <summary>The numbers of bits that can be measured.</summary>
    public static IReadOnlyList<int> Bits { get; } = [1, 2, 4, 8, NarrowTags.AllBits];

    /// <summary>Runs once.</summary>
    /// <param name="bits">One of <see cref="Bits"/>.</param>
    /// <param name="keys">How many keys are loaded.</param>
    /// <param name="distribution">How keys are drawn.</param>
    /// <param name="threads">How many threads work.</param>
    /// <param name="seconds">How long.</param>
    /// <exception cref="WrongAnswerException">A value that was read belongs to another key.</exception>
    public static async Task<TagResult> RunAsync(
        int bits, int keys, KeyDistribution distribution, int threads, double seconds)
    {
        YcsbWorkload workload = YcsbWorkload.Known("a");
        await using IEngine engine = await OpenAsync(bits, ValueOptions.Of(new EngineShape(keys, sizeof(long), null)));
        AnswerCheck.Load(engine, keys);
        KeyStream[] streams = new KeyDraw(keys, distribution, workload.DrawnReads).Streams(threads);
        var run = new CellRun(engine, workload, ValueWord.MarkOf(0), null);
        run.Run(streams, WarmUpSeconds, seconds);
        return new TagResult
        {
            Engine = StoreNames.Single,
            Workload = workload.Name,
            Distribution = EnumNames.Of(distribution),
            Keys = keys,
            Threads = threads,
            OperationsPerSecond = run.OperationsPerSecond,
            TagBits = bits,
        };
    }

    private static Task<IEngine> OpenAsync(int bits, StoreOptions options) => bits switch
    {
        1 => NarrowTags<NarrowTags.One>.OpenEngineAsync(options),
        2 => NarrowTags<NarrowTags.Two>.OpenEngineAsync(options),
        4 => NarrowTags<NarrowTags.Four>.OpenEngineAsync(options),
        8 => NarrowTags<NarrowTags.Eight>.OpenEngineAsync(options),
        _ => NarrowTags<NarrowTags.All>.OpenEngineAsync(options),
    };
}
