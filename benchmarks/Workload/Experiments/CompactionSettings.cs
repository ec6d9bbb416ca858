using System.Text.Json.Serialization;

namespace Faster.Workload.Experiments;

/// <summary>One compaction of one engine, in a process of its own.</summary>
internal sealed record CompactionSettings
{
    /// <summary>How many keys are loaded, with values of 100 bytes; half of them are replaced afterwards.</summary>
    public required int Keys { get; init; }

    /// <summary>The store's memory.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>How live records are found.</summary>
    public required CompactionMethod Method { get; init; }

    /// <summary>How many threads compact.</summary>
    public required int Threads { get; init; }

    /// <summary>The part of the log that is compacted, from 0 to 1.</summary>
    public required double Part { get; init; }
}

/// <summary>Writes and reads settings as JSON, for a child process.</summary>
[JsonSourceGenerationOptions(UseStringEnumConverter = true)]
[JsonSerializable(typeof(CompactionSettings))]
internal sealed partial class CompactionSettingsJson : JsonSerializerContext;
