namespace Faster.Tests.Scheduling;

/// <summary>What an exploration found.</summary>
/// <param name="Schedules">How many schedules ran.</param>
/// <param name="Failures">How many of them failed.</param>
/// <param name="FirstFailure">The first of these.</param>
/// <param name="Exhausted">Whether no further schedule exists within the preemption bound.</param>
internal sealed record ExplorationResult(int Schedules, int Failures, FailedSchedule? FirstFailure, bool Exhausted)
{
    // Of Invariant, and of Debug.Assert in a build with all assertions.
    private static readonly string[] Assertions = ["An invariant does not hold", "Debug.Fail failed"];

    /// <summary>Fails the test, with the first failed schedule, if one failed.</summary>
    public void AssertClean()
    {
        if (FirstFailure is null) return;
        Assert.Fail($"{Failures} of {Schedules} schedules failed. {FirstFailure.Message}");
    }

    /// <summary>
    /// Fails the test unless a schedule failed as expected: a seeded bug must be found by what it does, or by an
    /// assertion of the code itself, not by a thread that is stuck or a test that breaks.
    /// </summary>
    /// <param name="expected">Texts, at least one of which the failure must contain, unless it is an assertion.</param>
    public void AssertFound(params string[] expected)
    {
        Assert.NotEmpty(expected);
        if (FirstFailure is null) Assert.Fail($"{Schedules} schedules ran and none failed, though a bug is seeded.");
        if (expected.Concat(Assertions).Any(text => FirstFailure.What.Contains(text, StringComparison.Ordinal))) return;
        Assert.Fail($"A schedule failed otherwise than by «{string.Join("», «", expected)}»: {FirstFailure.Message}");
    }
}
