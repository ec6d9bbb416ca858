namespace Faster.Workload.Experiments;

/// <summary>What was seen at one moment of a run.</summary>
/// <param name="Seconds">The moment, since the sampling began.</param>
/// <param name="Operations">How many operations all threads had done.</param>
/// <param name="LogBytes">The length of the log.</param>
internal readonly record struct Sample(double Seconds, long Operations, long LogBytes);
