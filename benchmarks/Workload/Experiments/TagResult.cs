namespace Faster.Workload.Experiments;

/// <summary>Throughput of a store whose index tells keys apart by so many bits.</summary>
internal sealed record TagResult : StepResult
{
    /// <summary>The bits of a tag that differ.</summary>
    public required int TagBits { get; init; }
}
