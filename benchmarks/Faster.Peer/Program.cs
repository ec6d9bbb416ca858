using System.CommandLine;
using Faster.Peer;
using Faster.Workload.Experiments;

PeerMode[] modes = Enum.GetValues<PeerMode>();
var command = new RootCommand("Runs FASTER C# 2.6.5 for the driver Faster.Ycsb, which starts this program.")
{
    StepCommand.Create([.. modes.Select(m => new PeerCommitSource(m))]),
    EngineCommands.Cells.Create([.. modes.Select(m => new PeerSource(m))]),
    EngineCommands.Compaction.Create([.. modes.Select(m => new PeerSource(m))]),
    EngineCommands.Durable.Create([new LoggedSource()]),
    EngineCommands.WriteAndEnd.Create([new LoggedSource()]),
    EngineCommands.Replay.Create([new LoggedSource()]),
    EngineCommands.Transactions.Create([new LockableSource()]),
};
return await command.Parse(args).InvokeAsync();
