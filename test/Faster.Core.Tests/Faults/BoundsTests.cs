using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>
/// Files and memory of a store of each engine stay within their bounds, looked at every 100 ms, whatever it is filled
/// with: docs/testing/bounds.md.
/// </summary>
/// <remarks>By default a few loads, by turns; all of them where the test budget is 10 or more.</remarks>
public sealed class BoundsTests(ITestOutputHelper output)
{
    private const string Memory = "4", MemoryOfAll = "24", Disk = "24"; // MiB; of stores that have nothing else
    private const int BudgetOfAll = 10;

    private static readonly string[] Loads =
        ["NewKeys", "Uniform", "Skewed", "Churn", "Growing", "Large", "Expiring", "Merge", "Mixed"];

    // Merge is open: docs/testing/bounds.md.
    private static readonly string[] OfTiers = [.. Loads.Except(["Merge"])];

    private static readonly string[] InMemory = [.. Loads.Except(["Merge"])];

    private static readonly string[] OfRings = [.. InMemory.Except(["Expiring"])];

    /// <summary>The engines, of which some take turns, and the loads under which they keep their bounds.</summary>
    public static TheoryData<string, string[]> Engines => new()
    {
        { "faster", Loads }, { "tiers or tiers-apart", OfTiers }, { "memory", InMemory }, { "ring", OfRings },
    };

    [LinuxTheory("the resident set is read from /proc")]
    [MemberData(nameof(Engines))]
    public async Task Files_and_memory_stay_within_their_bounds(string engines, string[] loads)
    {
        var cells = engines.Split(" or ").SelectMany(_ => loads, static (engine, load) => (engine, load)).ToArray();
        bool all = TestBudget.Factor >= BudgetOfAll;
        (string, string)[] quick = [.. cells.Where(static cell => cell.load != "Mixed")]; // it takes a minute
        foreach ((string engine, string load) in all ? cells : [quick[TestSeed.NewRandom().Next(quick.Length)]])
        {
            (Dictionary<string, long> figures, string text) = await RunAsync(engine, load, overrun: 1);
            Assert.True(figures["above"] == 0, text);
            Assert.Equal(0, figures["exceeded"]);
            Assert.Contains("fault=none", text, StringComparison.Ordinal);
        }
    }

    /// <summary>A store that is opened with larger budgets than those it is compared with is found out.</summary>
    [LinuxTheory("the resident set is read from /proc")]
    [InlineData("faster", "Uniform", "logs")]
    [InlineData("memory", "NewKeys", "growth")]
    public async Task A_store_above_its_bounds_is_found(string engine, string load, string figure)
    {
        (Dictionary<string, long> figures, string text) =
            await RunAsync(engine, load, overrun: figure == "logs" ? 2 : 8);
        Assert.True(figures["above"] > 0 && figures[figure] > figures[figure + "Bound"], text);
    }

    private async Task<(Dictionary<string, long> Figures, string Text)> RunAsync(
        string engine, string load, int overrun)
    {
        string memory = engine is "memory" or "ring" ? MemoryOfAll : Memory;
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("bounds", engine, load, memory, Disk, "1", $"{overrun}");
        output.WriteLine(text);
        return (figures, text);
    }
}
