using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Index;

/// <summary>How the index's algorithms are explored, and what a store must satisfy at the end.</summary>
internal static class IndexExploration
{
    /// <summary>Some hundred schedules of three switches.</summary>
    public static readonly ExplorationOptions Options =
        new() { Schedules = 400, PreemptionBound = 3, StepLimit = 4000 };

    // A key that is lost, doubled, or found where it is not; an operation that is told so.
    private static readonly string[] DoesToData =
    [
        "Collections differ", "has two entries", "leads elsewhere", "Values differ", "Assert.True() Failure",
    ];

    /// <summary>A seeded bug is found, by what it does to the data.</summary>
    public static void AssertFound(string bug, Func<Scenario> scenario)
    {
        var options = Options with { Bugs = [Enum.Parse<SeededBug>(bug)], Schedules = 4000 };
        string[] how = DoesToData;

        // A resize that has ended under a pin has nothing to unpin.
        if (bug == nameof(SeededBug.SplitIgnoresPins)) how = [.. how, nameof(NullReferenceException)];
        Explorer.Run(options, scenario).AssertFound(how);
    }

    /// <summary>The store holds just some keys, each once; it and its sessions are disposed of.</summary>
    public static void Check(FakeStore store, FakeSession[] sessions, params ulong[] keys)
    {
        try
        {
            Assert.Equal(keys.Order(), store.CheckWhole().Order());
        }
        finally
        {
            foreach (FakeSession session in sessions) session.Dispose();
            store.Dispose();
        }
    }
}
