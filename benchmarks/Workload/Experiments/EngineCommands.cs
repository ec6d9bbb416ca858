using Faster.Workload.Cells;
using Faster.Workload.Writes;

namespace Faster.Workload.Experiments;

/// <summary>The commands that both programs have.</summary>
internal static class EngineCommands
{
    /// <summary>Loads a store, and measures cells in turn.</summary>
    public static EngineCommand<LoadSettings> Cells { get; } = new(
        "cells", "Cells of one engine.", LoadSettingsJson.Default.LoadSettings, LoadStep.RunAsync);

    /// <summary>Loads a store, and compacts its log.</summary>
    public static EngineCommand<CompactionSettings> Compaction { get; } = new(
        "compaction-step", "One compaction of one engine.", CompactionSettingsJson.Default.CompactionSettings,
        async (source, folder, settings, tell) => tell(await CompactionStep.RunAsync(source, folder, settings)));

    /// <summary>Loads a store, and writes durably.</summary>
    public static EngineCommand<DurableSettings> Durable { get; } = new(
        "durable-step", "Durable writes of one engine.", DurableSettingsJson.Default.DurableSettings,
        async (source, folder, settings, tell) => tell(await DurableStep.RunAsync(source, folder, settings)));
}
