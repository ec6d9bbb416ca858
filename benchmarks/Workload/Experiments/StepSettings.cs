using System.Text.Json.Serialization;

namespace Faster.Workload.Experiments;

/// <summary>One step of an experiment: what one child process does, with one engine.</summary>
internal sealed record StepSettings
{
    /// <summary>How many keys are loaded.</summary>
    public required int Keys { get; init; }

    /// <summary>How many threads work; 0 for a store at rest.</summary>
    public required int Threads { get; init; }

    /// <summary>What they do: a mix, as it is written.</summary>
    public required string Workload { get; init; }

    /// <summary>How keys are drawn.</summary>
    public required KeyDistribution Distribution { get; init; }

    /// <summary>How the store commits.</summary>
    public required CommitForm Form { get; init; }

    /// <summary>How long is measured.</summary>
    public required double Seconds { get; init; }

    /// <summary>Time for the JIT's last tier and for caches and pages to settle, not counted.</summary>
    public double WarmUpSeconds { get; init; } = 1;

    /// <summary>When commits begin, in seconds; of a timeline.</summary>
    public IReadOnlyList<double>? CommitTimes { get; init; }

    /// <summary>The time between two samples, in seconds; of a timeline.</summary>
    public double Bin { get; init; }

    /// <summary>The bytes of each client's buffer; of the buffer experiment.</summary>
    public int BufferBytes { get; init; }

    /// <summary>What the threads do.</summary>
    /// <exception cref="FormatException"><see cref="Workload"/> is no mix.</exception>
    [JsonIgnore]
    public Mix Mix => Mix.TryParse(Workload, out Mix? mix)
        ? mix
        : throw new FormatException($"'{Workload}' is no mix of operations.");
}

/// <summary>Writes and reads settings as JSON, for a child process.</summary>
[JsonSourceGenerationOptions(UseStringEnumConverter = true)]
[JsonSerializable(typeof(StepSettings))]
internal sealed partial class StepSettingsJson : JsonSerializerContext;
