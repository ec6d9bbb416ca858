using System.Text.Json.Serialization;

namespace Faster.Workload;

/// <summary>What one run of one engine gave.</summary>
/// <param name="Engine">The engine's name.</param>
/// <param name="Workload">The operation, in lower case.</param>
/// <param name="Distribution">The keys' distribution, in lower case.</param>
/// <param name="Keys">How many keys were loaded.</param>
/// <param name="Threads">How many threads worked.</param>
/// <param name="OperationsPerSecond">Of all threads together.</param>
internal sealed record Measurement(
    string Engine, string Workload, string Distribution, int Keys, int Threads, double OperationsPerSecond);

/// <summary>Writes and reads measurements as JSON, names in snake case.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(Measurement))]
[JsonSerializable(typeof(Measurement[]))]
internal sealed partial class MeasurementJson : JsonSerializerContext;
