using Xunit.Abstractions;

namespace Faster.Crash.Persistence;

/// <summary>
/// Power cuts under operation logs, several in a row: every acknowledged record that is not freed is there, whole, once
/// and in order, and nothing of an earlier lap or life comes back.
/// </summary>
public sealed class LogCrashTests(ITestOutputHelper output)
{
    private const int Seeds = 10, StatesOfASeed = 100;

    [Fact]
    public void Memory_keeps_what_was_acknowledged_in_any_life() => Run(LogCuts.OnMemory);

    [Fact]
    public void A_device_keeps_what_was_acknowledged_in_any_life() => Run(LogCuts.OnDisk);

    private void Run(Cuts cuts)
    {
        int states = 0, seeds = 0;
        TestSeed.Run(Seeds, seed =>
        {
            seeds++;
            Assert.Null(cuts(seed, ref states));
        });
        output.WriteLine($"{states} states");
        Assert.InRange(states, seeds * StatesOfASeed, int.MaxValue); // few show nothing
    }

    private delegate string? Cuts(int seed, ref int states);
}
