namespace Faster.Tests.Scheduling;

/// <summary>What one schedule runs: logical threads over fresh state, and a check after all have ended.</summary>
/// <param name="threads">The logical threads, at most 32. They share state only through probed code.</param>
/// <param name="check">Throws when the outcome is wrong. Runs after all threads, on the explorer's thread.</param>
internal sealed class Scenario(Action[] threads, Action? check = null)
{
    public Action[] Threads { get; } = threads;

    public Action Check { get; } = check ?? (static () => { });
}
