using System.Text.Json.Serialization;

namespace Faster.Workload.Cells;

/// <summary>What one child process does with one engine: it loads a store once, and measures cells in turn.</summary>
internal sealed record LoadSettings
{
    /// <summary>How many keys are loaded; of a trace, at least as many as it names.</summary>
    public required int Keys { get; init; }

    /// <summary>The size of each value in bytes, at least 8.</summary>
    public int ValueBytes { get; init; } = sizeof(long);

    /// <summary>The store's memory in bytes; null for as much as everything needs.</summary>
    public long? MemoryBytes { get; init; }

    /// <summary>The space that the store may take on disk, in bytes; null for no limit.</summary>
    public long? DiskBytes { get; init; }

    /// <inheritdoc cref="EngineShape.KeysPerBucket"/>
    public int? KeysPerBucket { get; init; }

    /// <inheritdoc cref="EngineShape.HotspotInterval"/>
    public int? HotspotInterval { get; init; }

    /// <summary>How long each cell is measured.</summary>
    public required double Seconds { get; init; }

    /// <summary>Time for the JIT's last tier and for caches and pages to settle, not counted.</summary>
    public double WarmUpSeconds { get; init; } = 1;

    /// <summary>Whether every value is checked after each cell, not a sample of them.</summary>
    public bool Verify { get; init; }

    /// <summary>The file of a trace, or null.</summary>
    public string? Trace { get; init; }

    /// <summary>The trace's form.</summary>
    public TraceFormat TraceFormat { get; init; }

    /// <summary>
    /// A control group that the process enters once it has the memory of its key streams; null for none.
    /// </summary>
    public string? ControlGroup { get; init; }

    /// <summary>The limit of that group.</summary>
    public long? LimitBytes { get; init; }

    /// <summary>What is measured.</summary>
    public required IReadOnlyList<CellSettings> Cells { get; init; }
}

/// <summary>One measurement.</summary>
/// <param name="Workload">The workload, as it is written.</param>
/// <param name="Distribution">How keys are drawn.</param>
/// <param name="Theta">The skew where the distribution has one.</param>
/// <param name="Threads">How many threads work, each with a session and a key stream of its own.</param>
internal sealed record CellSettings(string Workload, KeyDistribution Distribution, double Theta, int Threads);

/// <summary>Writes and reads settings as JSON, for a child process.</summary>
[JsonSourceGenerationOptions(UseStringEnumConverter = true)]
[JsonSerializable(typeof(LoadSettings))]
internal sealed partial class LoadSettingsJson : JsonSerializerContext;
