namespace Faster.Workload.Experiments;

/// <summary>
/// What the machine can do: <see cref="StepResult.Engine"/> is <c>machine</c>, <see cref="StepResult.Workload"/> names
/// the measurement, <see cref="StepResult.Distribution"/> says how places are chosen, and
/// <see cref="StepResult.Keys"/> is how many there are.
/// </summary>
internal sealed record LimitResult : StepResult
{
    /// <summary>The bytes that each operation takes.</summary>
    public required int Bytes { get; init; }

    /// <summary>How many transfers are under way at once; 1 for memory.</summary>
    public int Depth { get; init; } = 1;

    /// <summary>Whether the memory lies in huge pages; null for disks.</summary>
    public bool? HugePages { get; init; }
}
