using System.Text.Json.Serialization;
using Faster.Workload.Cells;
using Faster.Workload.Experiments.Transactions;
using Faster.Workload.Writes;

namespace Faster.Workload.Experiments;

/// <summary>What one step of an experiment gave; one object of a report's JSON (docs/performance/json.md).</summary>
[JsonPolymorphic(TypeDiscriminatorPropertyName = "experiment")]
[JsonDerivedType(typeof(CommitResult), "commit")]
[JsonDerivedType(typeof(SmallCommitResult), "small_commit")]
[JsonDerivedType(typeof(RecoveryResult), "recovery")]
[JsonDerivedType(typeof(TimelineResult), "timeline")]
[JsonDerivedType(typeof(BufferResult), "buffer")]
[JsonDerivedType(typeof(RestResult), "rest")]
[JsonDerivedType(typeof(RunResult), "run")]
[JsonDerivedType(typeof(LimitResult), "limit")]
[JsonDerivedType(typeof(SimulationResult), "simulation")]
[JsonDerivedType(typeof(RegionResult), "region")]
[JsonDerivedType(typeof(TagResult), "tag")]
[JsonDerivedType(typeof(ChurnResult), "churn")]
[JsonDerivedType(typeof(CompactionRunResult), "compaction")]
[JsonDerivedType(typeof(SliceResult), "slice")]
[JsonDerivedType(typeof(HeatResult), "heat")]
[JsonDerivedType(typeof(HeatTimelineResult), "heat_timeline")]
[JsonDerivedType(typeof(DurableResult), "durable")]
[JsonDerivedType(typeof(PacedResult), "paced")]
[JsonDerivedType(typeof(ReplayResult), "replay")]
[JsonDerivedType(typeof(TransactionCellResult), "transactions")]
[JsonDerivedType(typeof(CommitWindowsResult), "commit_windows")]
internal abstract record StepResult
{
    /// <summary>The engine's name.</summary>
    public required string Engine { get; init; }

    /// <summary>The mix, or the operation.</summary>
    public required string Workload { get; init; }

    /// <summary>How keys were drawn.</summary>
    public required string Distribution { get; init; }

    /// <summary>How many keys were loaded.</summary>
    public required int Keys { get; init; }

    /// <summary>How many threads worked; 0 when the store was at rest.</summary>
    public required int Threads { get; init; }

    /// <summary>Of all threads together; 0 when none worked.</summary>
    public required double OperationsPerSecond { get; init; }

    /// <summary>Which repetition it is, from 1.</summary>
    public int Run { get; init; } = 1;
}

/// <summary>Writes and reads results as JSON, names in snake case.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(StepResult))]
internal sealed partial class StepJson : JsonSerializerContext;
