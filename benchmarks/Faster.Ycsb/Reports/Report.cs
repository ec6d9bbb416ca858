using System.Text.Json.Serialization;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>What a command has measured, in the one JSON form of all commands (docs/performance/json.md).</summary>
internal sealed record Report
{
    /// <summary>The version of this form.</summary>
    public const int CurrentSchema = 1;

    /// <summary>The version of the form that it is written in.</summary>
    public required int Schema { get; init; }

    /// <summary>The command's name.</summary>
    public required string Command { get; init; }

    /// <summary>The whole command line, without the program.</summary>
    public required IReadOnlyList<string> Arguments { get; init; }

    /// <summary>When it began.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>Where it ran.</summary>
    public required Machine Machine { get; init; }

    /// <summary>The measurements, in the order in which they were taken.</summary>
    public required IReadOnlyList<StepResult> Measurements { get; init; }
}

/// <summary>Writes and reads reports as JSON, names in snake case.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Report))]
internal sealed partial class ReportJson : JsonSerializerContext;
