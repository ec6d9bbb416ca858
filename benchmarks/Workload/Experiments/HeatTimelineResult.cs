namespace Faster.Workload.Experiments;

/// <summary>
/// Operations on a store of the engine HotRing over time: reads while other keys become hot, or reads and insertions
/// while the index grows from the smallest.
/// </summary>
internal sealed record HeatTimelineResult : StepResult
{
    /// <summary>After how many operations a session considers whether a hotspot has shifted (R).</summary>
    public required int Interval { get; init; }

    /// <summary>When the hot keys changed, in seconds; 0 where they did not.</summary>
    public required double ShiftSecond { get; init; }

    /// <summary>The ends of the intervals, in seconds.</summary>
    public required double[] Seconds { get; init; }

    /// <summary>The operations of each interval, by its length in seconds.</summary>
    public required double[] BinPerSecond { get; init; }

    /// <summary>The average memory accesses of each interval.</summary>
    public required double[] BinAccesses { get; init; }

    /// <summary>How often the index had been doubled by the end of each interval.</summary>
    public required long[] Rehashes { get; init; }
}
