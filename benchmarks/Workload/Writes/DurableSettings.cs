using System.Text.Json.Serialization;

namespace Faster.Workload.Writes;

/// <summary>One measurement of durable writes, in a process of its own.</summary>
internal sealed record DurableSettings
{
    /// <summary>The size of each value.</summary>
    public const int ValueBytes = 100;

    /// <summary>The bytes of a key and a value: what a user writes.</summary>
    public const int RecordBytes = sizeof(long) + ValueBytes;

    /// <summary>How many keys are loaded, with values of 100 bytes.</summary>
    public required int Keys { get; init; }

    /// <summary>How keys are drawn.</summary>
    public required KeyDistribution Distribution { get; init; }

    /// <summary>How writes wait: a <see cref="WriteShape"/>, as it is written.</summary>
    public required string Shape { get; init; }

    /// <summary>How long is measured.</summary>
    public required double Seconds { get; init; }

    /// <summary>How long the same goes on before it is measured.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>The time between two points of the timeline, in seconds.</summary>
    public double Bin { get; init; } = 1;

    /// <summary>The store's memory in bytes; null for as much as everything needs.</summary>
    public long? MemoryBytes { get; init; }
}

/// <summary>Writes and reads settings as JSON, for a child process.</summary>
[JsonSourceGenerationOptions(UseStringEnumConverter = true)]
[JsonSerializable(typeof(DurableSettings))]
internal sealed partial class DurableSettingsJson : JsonSerializerContext;
