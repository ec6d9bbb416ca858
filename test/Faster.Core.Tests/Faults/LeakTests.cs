using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>What is opened and closed leaves nothing behind: no handle, no thread, no memory.</summary>
public sealed class LeakTests(ITestOutputHelper output)
{
    /// <summary>
    /// What varies over the second half of the rounds without a leak: a leak of one handle or thread in 15 rounds, or
    /// of 400 bytes of memory a session, is more.
    /// </summary>
    private static readonly Dictionary<string, double> Noise = new()
    {
        ["managed"] = 48 << 10, ["native"] = 256 << 10, ["resident"] = 2 << 20, ["handles"] = 3, ["threads"] = 4,
        ["files"] = 0, ["disk"] = 128 << 10,
    };

    [LinuxTheory("the resident set is read from /proc")]
    [InlineData("sessions", 1_300)]
    [InlineData("stores", 140)]
    [InlineData("full", 90)]
    [InlineData("rings", 90)]
    public async Task Rounds_of_opening_and_closing(string what, int rounds)
    {
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync(what, $"{TestBudget.Times(rounds)}");
        output.WriteLine(text);
        if (what == "full") Assert.Equal(TestBudget.Times(rounds), figures["failed"]);
        Samples samples = Samples.Parse(text);
        Assert.True(samples.Count > 10, text);
        string growing = string.Join("; ", samples.GrowingBeyond(Noise));
        Assert.True(growing.Length == 0, $"{growing}\n{text}");
    }
}
