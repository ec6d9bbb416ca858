using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>Runs a scenario under many schedules.</summary>
internal static class Explorer
{
    private const int MaxOfAll = 30_000;

    /// <summary>Explores every schedule with at most a number of preemptions, and asserts that all are right.</summary>
    public static void AssertAllClean(Func<Scenario> factory, int preemptions = 2)
    {
        ExplorationResult result = Run(
            new ExplorationOptions
            {
                Strategy = ExplorationStrategy.Exhaustive, PreemptionBound = preemptions, Schedules = MaxOfAll,
            },
            factory);
        result.AssertClean();
        Assert.True(result.Exhausted, $"{result.Schedules} schedules did not exhaust the bound.");
    }

    /// <summary>Explores. The factory is called for each schedule, on the calling thread.</summary>
    public static ExplorationResult Run(ExplorationOptions options, Func<Scenario> factory)
    {
        var bugs = new bool[Enum.GetValues<SeededBug>().Length];
        foreach (SeededBug bug in options.Bugs) bugs[(int)bug] = true;
        var strategy = SchedulingStrategy.For(options);
        var scheduler = new ControlledScheduler(strategy, options, bugs);
        using var carrier = new ScheduledThread(null, -1, bugs);
        ScheduledProbe.Attach(carrier);
        try
        {
            FailedSchedule? first = null;
            int failures = 0;
            int schedule = 0;
            for (; schedule < options.Schedules; schedule++)
            {
                if (!strategy.Begin(schedule)) return new ExplorationResult(schedule, failures, first, Exhausted: true);
                FailedSchedule? failed = scheduler.Run(factory());
                if (failed is null) continue;
                failures++;
                string which = $"{TestSeed.Text(options.Seed)}, schedule {schedule}";
                first ??= failed with { Message = $"{which}: {failed.Message}" };
                if (options.StopAtFirstFailure) return new ExplorationResult(schedule + 1, failures, first, false);
                if (scheduler.IsStuck) scheduler = new ControlledScheduler(strategy, options, bugs);
            }

            return new ExplorationResult(schedule, failures, first, Exhausted: false);
        }
        finally
        {
            scheduler.Dispose();
            ScheduledProbe.Attach(null);
            ScheduledProbe.WaitAlone(null);
        }
    }
}
