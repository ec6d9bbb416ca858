using System.CommandLine;
using Faster.Ycsb.Engines;

namespace Faster.Ycsb.Commands;

/// <summary>The command that measures one engine.</summary>
internal static class RunCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        var engine = new Option<string>("--engine")
        {
            Description = $"The engine: one of {string.Join(", ", EngineCatalog.Entries.Keys)}.",
            DefaultValueFactory = _ => "faster",
        };
        engine.Validators.Add(result =>
        {
            if (!EngineCatalog.Entries.ContainsKey(result.GetValueOrDefault<string>() ?? ""))
                result.AddError($"--engine takes one of {string.Join(", ", EngineCatalog.Entries.Keys)}.");
        });
        var cells = new CellOptions("c", "1", runs: 1);
        var output = new Output();
        var command = new Command("run", "Throughput of one engine, in a process of its own.") { engine };
        cells.AddTo(command);
        output.AddTo(command);
        command.SetGuarded((parsed, cancellationToken) => CompareCommand.MeasureAsync(
            parsed, [EngineCatalog.Entries[parsed.GetValue(engine)!]], cells, output, cancellationToken));
        return command;
    }
}
