using Faster.Contracts;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Index;

/// <summary>How the index's protocols are explored, and what is asked of a store of its own at the end.</summary>
internal static class IndexExploration
{
    /// <summary>Some hundred schedules of three switches.</summary>
    public static readonly ExplorationOptions Options =
        new() { Schedules = 400, PreemptionBound = 3, StepLimit = 4000 };

    /// <summary>A sown bug is found, by what it does to the data.</summary>
    public static void AssertFound(string bug, Func<Scenario> scenario)
    {
        var options = Options with { Bugs = [Enum.Parse<SeededBug>(bug)], Schedules = 4000 };
        ExplorationResult result = Explorer.Run(options, scenario);
        result.AssertFound();

        // By what it does to the data, not by a thread that never comes back.
        Assert.DoesNotContain("lock:", result.FirstFailure!.Message, StringComparison.Ordinal);
    }

    /// <summary>The store holds just some keys, each once; it and its sessions are disposed of.</summary>
    public static void Check(
        FakeStore<ScheduledProbe> store, FakeSession<ScheduledProbe>[] sessions, params ulong[] keys)
    {
        try
        {
            Assert.Equal(keys.Order(), store.CheckWhole().Order());
        }
        finally
        {
            foreach (FakeSession<ScheduledProbe> session in sessions) session.Dispose();
            store.Dispose();
        }
    }
}
