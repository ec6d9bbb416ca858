using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>
/// A store that all is done to for long, while its live data stay as many, holds no more of anything: updates and
/// deletions, sessions that come and go, commits of all kinds, compactions, an index that grows and shrinks.
/// </summary>
public sealed class SoakTests(ITestOutputHelper output)
{
    private const int Rounds = 14, LeakingRounds = 12;

    /// <summary>What varies without a leak, however long it goes on: docs/testing/memory.md.</summary>
    private static readonly Dictionary<string, double> Noise = new()
    {
        ["managed"] = 1280 << 10, ["native"] = 3 << 20, ["resident"] = 6 << 20, ["handles"] = 6, ["threads"] = 8,
        ["files"] = 5, ["disk"] = 768 << 10,
    };

    [LinuxFact("the resident set is read from /proc")]
    public async Task Nothing_grows_with_the_work_and_a_leak_of_a_few_bytes_an_operation_is_found()
    {
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("soak", $"{TestBudget.Times(Rounds)}", $"{LeakingRounds}");
        output.WriteLine(text);
        Samples sound = Samples.Parse(text), leaking = Samples.Parse(text, "leaking");
        Assert.Equal(TestBudget.Times(Rounds), sound.Count);
        string growing = string.Join("; ", sound.GrowingBeyond(Noise));
        Assert.True(growing.Length == 0, $"{growing}\n{text}");
        Assert.Contains("fault=none", text, StringComparison.Ordinal);
        Assert.Equal(0, figures["sessions"]);
        Assert.Equal(3 * figures["shrinks"], figures["commits"]); // one a round
        Assert.True(figures["growths"] > 0 && figures["reclaimed"] > 0 && figures["reads"] > 0, text);

        // The control: what is leaked on purpose, some bytes an operation, is found for each of them.
        string[] found = [.. leaking.GrowingBeyond(Noise).Select(static line => line.Split(' ')[0])];
        Assert.True(found.Length == Noise.Count, $"Found are only: {string.Join(", ", found)}\n{text}");
    }
}
