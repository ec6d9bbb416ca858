using Faster.Contracts;
using Xunit.Abstractions;

namespace Faster.Crash.Swarm;

/// <summary>
/// Random stores, each from a seed: configuration, operations, the lives of sessions, commits beside slow writes, power
/// cuts and kills. Each commit, each opening and the open store are compared whole with a model
/// (docs/testing/swarm.md).
/// </summary>
public sealed class SwarmTests(ITestOutputHelper output)
{
    private const int Stores = 3, TieredStores = 2, AtATime = 2, SeedsOfAnEngine = 100_000_000;

    [Fact]
    public Task Random_stores_hold_all_that_they_acknowledge() => HoldAsync(TestSeed.Of(Stores));

    [Fact]
    public Task Random_stores_of_two_tiers_hold_all_that_they_acknowledge() =>
        HoldAsync(TestSeed.Of(TieredStores).Select(static seed => SwarmPlan.FirstTiered + seed));

    [Fact]
    public Task Random_transactional_stores_hold_all_that_they_acknowledge() => HoldAsync(
        TestSeed.Of(Stores).Select(static seed => SwarmPlan.FirstTransactional + (seed % SeedsOfAnEngine)));

    [Fact]
    public Task Random_stores_hold_each_operation_that_they_acknowledge() =>
        HoldAsync(TestSeed.Of(Stores).Select(static seed => -seed));

    [Fact]
    public Task Random_stores_of_two_tiers_hold_each_operation_that_they_acknowledge() =>
        HoldAsync(TestSeed.Of(TieredStores).Select(static seed => -SwarmPlan.FirstTiered - seed));

    private async Task HoldAsync(IEnumerable<int> seeds)
    {
        var counters = new SwarmTally();
        List<string> violations = [];
        string folder = Path.Combine(AppContext.BaseDirectory, "swarm");
        await SwarmCommand.RunAsync(
            seeds, AtATime, folder, counters,
            text =>
            {
                lock (violations) violations.Add(text);
            },
            static () => true);
        output.WriteLine(counters.ToString());
        Assert.True(violations.Count == 0, string.Join(Environment.NewLine, violations));
    }
}
