namespace Faster.Tests.Scheduling;

/// <summary>What an exploration found.</summary>
/// <param name="Schedules">How many schedules ran.</param>
/// <param name="Failures">How many of them failed.</param>
/// <param name="FirstFailure">The first of those.</param>
/// <param name="Exhausted">Whether no further schedule exists within the preemption bound.</param>
internal sealed record ExplorationResult(int Schedules, int Failures, FailedSchedule? FirstFailure, bool Exhausted)
{
    /// <summary>Fails the test, with the schedule, when one failed.</summary>
    public void AssertClean()
    {
        if (FirstFailure is null) return;
        Assert.Fail($"{Failures} of {Schedules} schedules failed. {FirstFailure.Message}");
    }

    /// <summary>
    /// Fails the test unless a schedule failed as expected: a seeded bug must be found by what it does, not by a thread
    /// that is stuck or a test that breaks.
    /// </summary>
    /// <param name="expected">Texts of which what went wrong has at least one.</param>
    public void AssertFound(params string[] expected)
    {
        Assert.NotEmpty(expected);
        if (FirstFailure is null) Assert.Fail($"{Schedules} schedules ran and none failed, though a bug is seeded.");
        if (expected.Any(text => FirstFailure.What.Contains(text, StringComparison.Ordinal))) return;
        Assert.Fail(
            $"A schedule failed otherwise than by «{string.Join("», «", expected)}»: {FirstFailure.Message}");
    }
}
