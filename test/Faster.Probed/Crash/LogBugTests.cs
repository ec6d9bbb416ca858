using Faster.Crash.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Abstractions;

namespace Faster.Tests.Crash;

/// <summary>Power cuts under operation logs find lost records, and scans that take what is not theirs.</summary>
public sealed class LogBugTests(ITestOutputHelper output)
{
    [Fact]
    public void A_fence_that_forgets_a_log_is_found() =>
        AssertFound(SeededBug.FenceForgetsLog, "were acknowledged", false, true);

    [Fact]
    public void A_scan_that_takes_what_an_earlier_life_has_left_is_found() =>
        AssertFound(SeededBug.PredecessorIgnored, "was not published where it is found", false);

    [Fact]
    public void A_checksum_that_is_right_in_each_lap_is_found() =>
        AssertFound(SeededBug.ChecksumIgnoresLap, "damage is reported where there is none", false, true);

    private void AssertFound(SeededBug bug, string symptom, params bool[] disks)
    {
        using IDisposable seeded = SeededProbe.Seed(bug);
        foreach (bool isDisk in disks)
        {
            int states = 0;
            string? found = null;
            for (int seed = 1; seed <= 100 && found is null; seed++)
                found = isDisk ? LogCuts.OnDisk(seed, ref states) : LogCuts.OnMemory(seed, ref states);
            output.WriteLine($"{found ?? "nothing found"}, after {states} states");
            Assert.NotNull(found);
            Assert.Contains(symptom, found, StringComparison.Ordinal);
        }
    }
}
