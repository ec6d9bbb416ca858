using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>A process with an open, empty store grows by no more than the budget and a tenth.</summary>
public sealed class MemoryBudgetTests(ITestOutputHelper output)
{
    /// <summary>
    /// What the runtime itself takes for this work besides the store: its young generation (set to 1 MiB), pooled
    /// objects, the stacks of up to 32 I/O threads, code that the warm-up did not reach. It does not depend on the
    /// budget: see docs/testing/memory.md.
    /// </summary>
    private const long RuntimeNoise = 10 << 20;

    [LinuxTheory("the resident set is read from /proc")]
    [InlineData("fixed", 8, 6)]
    [InlineData("variable", 8, 6)]
    [InlineData("fixed or variable", 64, 2)] // by turns; a larger test budget pushes more through
    [InlineData("crowded", 8, 4)]            // far more keys than half of the budget can index
    public async Task Growth_stays_within_the_budget_and_a_tenth(string kind, int megabytes, int times)
    {
        times = TestBudget.Times(times);
        if (kind == "fixed or variable") kind = TestSeed.NewRandom().Next(2) == 0 ? "fixed" : "variable";
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("budget", kind, megabytes.ToString(), times.ToString());
        output.WriteLine(text);
        long budget = figures["budget"];
        Assert.True(figures["written"] >= budget * times, text);
        Assert.True(figures["growth"] <= (budget * 11 / 10) + RuntimeNoise, text);
        Assert.Contains("fault=none", text, StringComparison.Ordinal);
    }

    /// <summary>
    /// Several sessions issue many reads of large values from disk before they complete the first: 4 times the budget.
    /// </summary>
    [LinuxTheory("the resident set is read from /proc")]
    [InlineData("status")]
    [InlineData("awaited")]
    [InlineData("batched")]
    public async Task Memory_of_operations_that_wait_for_the_disk_is_within_the_budget(string form)
    {
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("pending", form, "4", TestBudget.Times(70).ToString(), "900000");
        output.WriteLine(text);
        long budget = figures["budget"];
        Assert.Equal(0, figures["missing"]);
        Assert.True(figures["reads"] > 70, text);
        Assert.True(figures["growth"] <= (budget * 11 / 10) + RuntimeNoise, text);
        Assert.True(figures["heap"] <= 4 << 20, text); // after a collection: no pool keeps what was read
    }
}
