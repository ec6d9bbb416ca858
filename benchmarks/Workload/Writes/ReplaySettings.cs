using System.Text.Json.Serialization;

namespace Faster.Workload.Writes;

/// <summary>What is written before a store is left, and found again when it is opened.</summary>
internal sealed record ReplaySettings
{
    /// <summary>How many keys there are: they are written in their order, again and again.</summary>
    public required int Keys { get; init; }

    /// <summary>How many writes there are.</summary>
    public required long Writes { get; init; }

    /// <summary>The store's memory in bytes; null for as much as everything needs.</summary>
    public long? MemoryBytes { get; init; }
}

/// <summary>Writes and reads settings as JSON, for a child process.</summary>
[JsonSerializable(typeof(ReplaySettings))]
internal sealed partial class ReplaySettingsJson : JsonSerializerContext;
