namespace Faster.Crash.Persistence;

/// <summary>What a key has in the back. Immutable.</summary>
/// <param name="Counter">The number of the last change; 0: there was none.</param>
/// <param name="HasValue">Whether it was a put.</param>
/// <param name="Length">The length of the value.</param>
/// <param name="Round">The round of a removal.</param>
internal readonly record struct BackState(long Counter, bool HasValue, int Length, long Round);
