using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>What is opened and closed leaves nothing behind: no handle, no thread, no memory.</summary>
[Collection("Alone")]
public sealed class LeakTests(ITestOutputHelper output)
{
    /// <summary>Noise of the resident set, measured: it does not grow with the number of rounds.</summary>
    private const long ResidentNoise = 8 << 20;

    [Theory]
    [InlineData("sessions", 1_000, 100)]
    [InlineData("stores", 100, 2_000)]
    public async Task Rounds_of_opening_and_closing(string what, int rounds, long bytesEach)
    {
        if (!OperatingSystem.IsLinux())
        {
            output.WriteLine("Skipped: handles and the resident set are read from /proc.");
            return;
        }

        rounds = TestBudget.Times(rounds);
        (Dictionary<string, long> figures, string text) = await MemoryProbe.RunAsync(what, rounds.ToString());
        output.WriteLine(text);
        Assert.True(figures["handles"] <= rounds / 20, text); // the runtime's own come and go; a leak is one a round
        Assert.True(figures["threads"] <= 8, text); // the pool's own come and go
        Assert.True(figures["managed"] <= (rounds * bytesEach) + 65_536, text);
        Assert.True(figures["growth"] <= ResidentNoise, text);
    }
}
