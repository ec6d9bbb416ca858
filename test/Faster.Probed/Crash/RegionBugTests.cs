using Faster.Crash.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Abstractions;

namespace Faster.Tests.Crash;

/// <summary>Power cuts under a log of records find what is acknowledged too early, or not at all.</summary>
public sealed class RegionBugTests(ITestOutputHelper output)
{
    [Fact]
    public void A_ticket_that_is_acknowledged_before_its_sync_is_found() => AssertFound(SeededBug.TicketBeforeSync);

    [Fact]
    public void A_ticket_that_joins_a_running_sync_is_found() => AssertFound(SeededBug.TicketJoinsRunningSync);

    [Fact]
    public void A_fence_that_forgets_a_range_is_found() => AssertFound(SeededBug.FenceForgetsRange);

    private void AssertFound(SeededBug bug)
    {
        using IDisposable seeded = SeededProbe.Seed(bug);
        foreach (Func<int, string?> run in new Func<int, string?>[] { RegionCuts.OnMemory, RegionCuts.OnDisk })
        {
            string? found = Enumerable.Range(1, 20).Select(run).FirstOrDefault(failure => failure is not null);
            output.WriteLine(found ?? "nothing found");
            Assert.NotNull(found);
            Assert.Contains("were acknowledged", found, StringComparison.Ordinal);
        }
    }
}
