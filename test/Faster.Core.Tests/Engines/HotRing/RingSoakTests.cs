using Faster.Tests.Faults;
using Xunit.Abstractions;

namespace Faster.Tests.Engines.HotRing;

/// <summary>
/// A store that all is done to for long, while its live data stay as many, takes no more memory for its records.
/// </summary>
public sealed class RingSoakTests(ITestOutputHelper output)
{
    private const int Rounds = 12;

    [LinuxFact("the probe samples /proc")]
    public async Task The_memory_of_records_does_not_grow_with_the_work()
    {
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("ring", $"{TestBudget.Times(Rounds)}");
        output.WriteLine(text);
        long[] taken = [.. Enumerable.Range(1, TestBudget.Times(Rounds)).Select(round => figures[$"taken{round}"])];
        // The records are some 10,000 of up to 400 bytes; blocks of all their sizes are there after half of the rounds.
        // A round writes 19 MB, so a leak of half a percent of that would exceed a tenth.
        // The allocator returns what is free at the end of its memory, so a round may also end with less.
        long half = taken[..((taken.Length / 2) + 1)].Max();
        Assert.InRange(taken[^1], 1, half + (half / 10));
    }
}
