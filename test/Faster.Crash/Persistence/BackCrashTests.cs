using Xunit.Abstractions;

namespace Faster.Crash.Persistence;

/// <summary>
/// Power cuts under Bullet's back, several in a row: each committed batch is there, the one under way is whole or not
/// there at all, and every block is in one place.
/// </summary>
public sealed class BackCrashTests(ITestOutputHelper output)
{
    private const int Seeds = 3, StatesOfASeed = 100;

    [Fact]
    public void Batches_are_whole_in_any_life()
    {
        int states = 0, seeds = 0;
        TestSeed.Run(Seeds, seed =>
        {
            seeds++;
            Assert.Null(BackCuts.OnMemory(seed, ref states));
        });
        output.WriteLine($"{states} states");
        Assert.InRange(states, seeds * StatesOfASeed, int.MaxValue); // few show nothing
    }
}
