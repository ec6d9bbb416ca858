namespace Faster.Tests.Scheduling;

/// <summary>A schedule that failed.</summary>
/// <param name="What">What went wrong.</param>
/// <param name="Message">What went wrong, and how to repeat it.</param>
/// <param name="Choices">The choices, for <see cref="ExplorationOptions.Replay"/>.</param>
/// <param name="Cause">The exception, if there was one.</param>
internal sealed record FailedSchedule(string What, string Message, string Choices, Exception? Cause);
