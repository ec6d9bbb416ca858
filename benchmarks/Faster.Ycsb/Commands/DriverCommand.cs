using System.CommandLine;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;

namespace Faster.Ycsb.Commands;

/// <summary>The program's commands in one place.</summary>
internal static class DriverCommand
{
    /// <summary>Makes the root command.</summary>
    public static RootCommand Create() => new("Measures stores and their peers, each in processes of its own, in turns.")
    {
        CommitCommand.Create(),
        TimelineCommand.Create(),
        BufferCommand.Create(),
        RestCommand.Create(),
        PlotCommand.Create(),
        StepCommand.Create(EngineCatalog.OwnSources),
    };
}
