using Faster.Crash.Swarm;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Abstractions;

namespace Faster.Tests.Crash;

/// <summary>
/// The swarm finds each silent loss that reviews had found without it: the bug is seeded in the shipped code, and
/// random stores run until one breaks the promise that the bug breaks.
/// </summary>
public sealed class SwarmBugTests(ITestOutputHelper output)
{
    private const int MaxStores = 400, AtATime = 2;

    [Fact]
    public Task An_increment_that_begins_within_a_record() => FindsAsync(
        SeededBug.IncrementWithinRecord, first: 1,
        SwarmFault.CommittedState, SwarmFault.RecoveredState, SwarmFault.FailedCall);

    [Fact]
    public Task An_ended_session_whose_last_operations_are_forgotten() => FindsAsync(
        SeededBug.EndedIsCommitted, first: 1, SwarmFault.CommittedState, SwarmFault.RecoveredState);

    [Fact]
    public Task Numbers_that_were_left_out_and_are_forgotten() => FindsAsync(
        SeededBug.RecoveryForgetsExcluded, first: 46, SwarmFault.LostExclusion, SwarmFault.StalePoint);

    [Fact]
    public Task A_session_that_went_on_and_is_not_told() => FindsAsync(
        SeededBug.WentOnUntold, first: 1, SwarmFault.StaleLastCommit, SwarmFault.StalePoint);

    [Fact]
    public Task An_ended_session_of_two_tiers_whose_last_operations_are_forgotten() => FindsAsync(
        SeededBug.EndedIsCommitted, SwarmPlan.FirstTiered + 1, SwarmFault.CommittedState, SwarmFault.RecoveredState);

    [Fact]
    public Task A_tombstone_that_does_not_reach_the_lower_tier() => FindsAsync(
        SeededBug.TombstoneStaysAbove, SwarmPlan.FirstTiered + 1,
        SwarmFault.LiveState, SwarmFault.CommittedState, SwarmFault.RecoveredState);

    private async Task FindsAsync(SeededBug bug, int first, params SwarmFault[] faults)
    {
        using IDisposable seeded = SeededProbe.Seed(bug);
        var counters = new SwarmTally();
        string? found = null;
        string folder = Path.Combine(AppContext.BaseDirectory, "swarm", $"{bug}");
        await SwarmCommand.RunAsync(
            Enumerable.Range(first, MaxStores), AtATime, folder, counters,
            text => Interlocked.CompareExchange(ref found, text, null),
            () => Volatile.Read(ref found) is null);
        output.WriteLine($"{found}{Environment.NewLine}{counters}");
        Assert.NotNull(found);
        Assert.Contains(faults, fault => found.StartsWith($"VIOLATION {fault}:", StringComparison.Ordinal));
    }
}
