namespace Faster.Workload.Experiments;

/// <summary>The throughput of one of two builds that are compared.</summary>
internal sealed record RestResult : StepResult
{
    /// <summary>Which build: <c>base</c> or <c>candidate</c>.</summary>
    public required string Build { get; init; }
}
