using System.CommandLine;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Engines.Transactions;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The program's commands in one place.</summary>
internal static class DriverCommand
{
    /// <summary>Runs the program.</summary>
    /// <returns>0, or <see cref="Guard.Failed"/> after one message on standard error.</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        ParseResult parsed = Create().Parse(args);
        if (parsed.Errors.Count == 0)
            return await parsed.InvokeAsync();
        Progress.Error($"{parsed.Errors[0].Message} (--help shows all options.)");
        return Guard.Failed;
    }

    private static RootCommand Create() => new("Measures stores and their peers, in turns and in processes.")
    {
        RunCommand.Create(),
        CompareCommand.Create(),
        SlicesCommand.Create(),
        SweepCommand.Create(),
        LimitsCommand.Create(),
        SimulateCommand.Create(),
        RegionsCommand.Create(),
        TagsCommand.Create(),
        HeatCommand.Create(),
        ChurnCommand.Create(),
        CompactionCommand.Create(),
        CommitCommand.Create(),
        TimelineCommand.Create(),
        BufferCommand.Create(),
        DurableCommand.Create(),
        PacedCommand.Create(),
        ReplayCommand.Create(),
        TransactionsCommand.Create(),
        RestCommand.Create(),
        PlotCommand.Create(),
        StepCommand.Create(EngineCatalog.OwnSources),
        EngineCommands.Cells.Create(EngineCatalog.OwnEngines),
        EngineCommands.Compaction.Create(EngineCatalog.OwnEngines),
        EngineCommands.Durable.Create(EngineCatalog.OwnDurable),
        EngineCommands.WriteAndEnd.Create(EngineCatalog.OwnDurable),
        EngineCommands.Replay.Create(EngineCatalog.OwnDurable),
        EngineCommands.Transactions.Create(TransactionSource.All),
    };
}
