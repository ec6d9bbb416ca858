using Faster.Workload.Cells;
using Faster.Workload.Experiments.Transactions;
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

    /// <summary>Writes durably, and ends without closing the store.</summary>
    public static EngineCommand<ReplaySettings> WriteAndEnd { get; } = new(
        "write-step", "Writes that another process finds.", ReplaySettingsJson.Default.ReplaySettings,
        (source, folder, settings, _) => ReplayStep.WriteAsync(source, folder, settings, static () => Libc.Exit(0)));

    /// <summary>Opens a store that was not closed.</summary>
    public static EngineCommand<ReplaySettings> Replay { get; } = new(
        "replay-step", "One opening of one engine.", ReplaySettingsJson.Default.ReplaySettings,
        async (source, folder, settings, tell) => tell(await ReplayStep.RunAsync(source, folder, settings)));

    /// <summary>Loads a store, and runs transactions.</summary>
    public static EngineCommand<TransactionSettings> Transactions { get; } = new(
        "transactions-step", "Transactions of one engine.", TransactionSettingsJson.Default.TransactionSettings,
        TransactionStep.RunAsync);
}
