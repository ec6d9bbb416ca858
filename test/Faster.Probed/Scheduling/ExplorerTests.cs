using System.Diagnostics;
using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>The scheduler itself: it finds what it should, reports what it found, and repeats it.</summary>
public sealed class ExplorerTests
{
    [Theory]
    [InlineData(nameof(ExplorationStrategy.Mixed))]
    [InlineData(nameof(ExplorationStrategy.Random))]
    [InlineData(nameof(ExplorationStrategy.Priorities))]
    [InlineData(nameof(ExplorationStrategy.Exhaustive))]
    public void A_lost_update_is_found_and_its_schedule_replays(string strategy)
    {
        var options = new ExplorationOptions { Strategy = Enum.Parse<ExplorationStrategy>(strategy) };
        ExplorationResult found = Explorer.Run(options, LostUpdate);
        found.AssertFound("Expected: 2");
        ExplorationResult again = Explorer.Run(options with { Replay = found.FirstFailure!.Choices }, LostUpdate);
        Assert.Equal((1, 1), (again.Schedules, again.Failures));
        Assert.Equal(found.FirstFailure.Choices, again.FirstFailure!.Choices);
    }

    [Fact]
    public void Exhaustive_search_within_the_bound_ends_and_misses_what_needs_more_preemptions()
    {
        var options = new ExplorationOptions { Strategy = ExplorationStrategy.Exhaustive, PreemptionBound = 0 };
        ExplorationResult without = Explorer.Run(options, LostUpdate);
        without.AssertClean();
        Assert.True(without.Exhausted);
        Assert.Equal(2, without.Schedules);
        Explorer.Run(options with { PreemptionBound = 1 }, LostUpdate).AssertFound("Expected: 2");
    }

    [Fact]
    public void Exhaustive_search_without_a_bound_visits_every_interleaving_once()
    {
        var seen = new List<string>();
        var options = new ExplorationOptions { Strategy = ExplorationStrategy.Exhaustive, PreemptionBound = 99 };
        ExplorationResult result = Explorer.Run(options, () =>
        {
            string trace = "";
            Action Steps(string name) => () =>
            {
                for (int i = 0; i < 3; i++)
                {
                    if (i > 0) Probe.Point(ProbePoint.IndexScan);
                    trace += name;
                }
            };
            return new Scenario([Steps("a"), Steps("b")], () => seen.Add(trace));
        });
        Assert.True(result.Exhausted);
        Assert.Equal(20, seen.Distinct().Count()); // 6! / (3! · 3!)
        Assert.Equal(result.Schedules, seen.Count);
    }

    [Fact]
    public void A_deadlock_is_reported()
    {
        ExplorationResult result = Explorer.Run(new ExplorationOptions(), () =>
        {
            bool a = false, b = false;
            Action Both(Func<bool> other, Action mine) => () =>
            {
                while (!other()) Probe.Point(ProbePoint.Wait);
                mine();
            };
            return new Scenario([Both(() => b, () => a = true), Both(() => a, () => b = true)]);
        });
        Assert.Contains("Deadlock", result.FirstFailure!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Waiting_for_another_thread_is_no_deadlock()
    {
        var options = new ExplorationOptions { Strategy = ExplorationStrategy.Exhaustive };
        ExplorationResult result = Explorer.Run(options, () =>
        {
            int turn = 0;
            Action Turns(int mine) => () =>
            {
                for (int round = 0; round < 3; round++)
                {
                    while (turn % 3 != mine) Probe.Point(ProbePoint.Wait);
                    turn++;
                }
            };
            return new Scenario([Turns(0), Turns(1), Turns(2)], () => Assert.Equal(9, turn));
        });
        result.AssertClean();
        Assert.True(result.Exhausted);
    }

    [Fact]
    public void Two_that_poll_do_not_keep_a_third_from_running()
    {
        var options = new ExplorationOptions
        {
            Schedules = 50, Strategy = ExplorationStrategy.Priorities, StepLimit = 5000,
        };
        Explorer.Run(options, () =>
        {
            bool done = false;
            void Poll()
            {
                for (; !done; Probe.Point(ProbePoint.Wait))
                    for (int step = 0; step < 5; step++) Probe.Point(ProbePoint.IndexScan);
            }

            return new Scenario([Poll, Poll, () =>
            {
                for (int step = 0; step < 3; step++) Probe.Point(ProbePoint.IndexScan);
                done = true;
            }]);
        }).AssertClean();
    }

    [Fact]
    public void A_failure_other_than_the_expected_one_is_not_found()
    {
        ExplorationResult result = Explorer.Run(new ExplorationOptions(), () => new Scenario(
            [static () =>
            {
                while (true) Probe.Point(ProbePoint.Wait);
            }]));
        result.AssertFound("Deadlock");
        Assert.ThrowsAny<Xunit.Sdk.XunitException>(() => result.AssertFound("Expected: 2"));
        Assert.ThrowsAny<Xunit.Sdk.XunitException>(() => result.AssertFound("Replay"));
    }

    [Fact]
    public void A_livelock_is_reported()
    {
        var options = new ExplorationOptions { StepLimit = 500 };
        static void Spin()
        {
            while (true) Probe.Point(ProbePoint.IndexScan);
        }

        ExplorationResult result = Explorer.Run(options, () => new Scenario([Spin, Spin]));
        Assert.Contains("Livelock", result.FirstFailure!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_lock_held_across_a_point_fails_instead_of_hanging()
    {
        var options = new ExplorationOptions { BlockedAfter = TimeSpan.FromMilliseconds(100) };
        ExplorationResult result = Explorer.Run(options, () =>
        {
            object latch = new();
            void Locked()
            {
                lock (latch) Probe.Point(ProbePoint.IndexScan);
            }

            return new Scenario([Locked, Locked]);
        });
        Assert.Contains("blocked", result.FirstFailure!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_throwing_thread_fails_its_schedule_and_the_next_one_runs()
    {
        int schedule = 0;
        var options = new ExplorationOptions { Schedules = 10, StopAtFirstFailure = false };
        ExplorationResult result = Explorer.Run(options, () =>
        {
            bool fails = schedule++ % 2 == 0;
            return new Scenario([
                () => Probe.Point(ProbePoint.IndexScan),
                () =>
                {
                    Probe.Point(ProbePoint.IndexScan);
                    if (fails) throw new FormatException("seeded");
                }]);
        });
        Assert.Equal((10, 5), (result.Schedules, result.Failures));
        Assert.IsType<FormatException>(result.FirstFailure!.Cause);
    }

    [Fact]
    public void Bugs_are_seeded_in_the_threads_and_the_check_of_their_run_only()
    {
        var options = new ExplorationOptions { Schedules = 1, Bugs = [SeededBug.FreeWithoutEpoch] };
        bool inThread = false, inCheck = false, other = true;
        Explorer.Run(options, () => new Scenario(
            [() =>
            {
                inThread = Probe.Has(SeededBug.FreeWithoutEpoch);
                other = Probe.Has(SeededBug.DrainWithoutClaim);
            }],
            () => inCheck = Probe.Has(SeededBug.FreeWithoutEpoch))).AssertClean();
        Assert.True(inThread && inCheck && !other);
        Assert.False(Probe.Has(SeededBug.FreeWithoutEpoch));
    }

    [Fact]
    public void Short_schedules_run_by_the_thousand()
    {
        var lost = new LostTime();
        long start = Stopwatch.GetTimestamp();
        ExplorationResult result = Explorer.Run(new ExplorationOptions { Schedules = 2000 }, () => new Scenario(
            [() => Probe.Point(ProbePoint.IndexScan), () => Probe.Point(ProbePoint.IndexScan)]));
        result.AssertClean();

        // The goal is two thousand a second; the limit only catches a scheduler that has become useless.
        TimeSpan given = lost.GivenSince(start);
        Assert.True(given < TimeSpan.FromSeconds(10), $"2000 short schedules took {given}.");
    }

    private static Scenario LostUpdate()
    {
        int counter = 0;
        void Increment()
        {
            int seen = counter;
            Probe.Point(ProbePoint.RecordUpdate);
            counter = seen + 1;
        }

        return new Scenario([Increment, Increment], () => Assert.Equal(2, counter));
    }
}
