using System.CommandLine;
using System.Text.Json;
using Faster.Workload.Experiments;

namespace Faster.Workload.Cells;

/// <summary>
/// The command by which the driver has a program measure cells in a process of its own: it prints each result as one
/// line of JSON. Not shown in help; the driver makes its arguments with <see cref="ArgumentsOf"/>.
/// </summary>
internal static class CellsCommand
{
    private const string Name = "cells";

    /// <summary>Makes the command, for the engines that a program has.</summary>
    public static Command Create(IReadOnlyCollection<IEngineSource> sources)
    {
        var engine = new Argument<string>("engine");
        var folder = new Argument<string>("folder");
        var settings = new Argument<string>("settings");
        var command = new Command(Name, "Cells of one engine.") { engine, folder, settings };
        command.Hidden = true;
        command.SetAction(async (parsed, _) =>
        {
            IEngineSource source = sources.Single(s => s.Name == parsed.GetValue(engine));
            LoadSettings given = JsonSerializer.Deserialize(
                parsed.GetValue(settings)!, LoadSettingsJson.Default.LoadSettings)!;
            await LoadStep.RunAsync(source, parsed.GetValue(folder)!, given, result => Console.WriteLine(
                JsonSerializer.Serialize(result, StepJson.Default.StepResult)));
        });
        return command;
    }

    /// <summary>The arguments that make a program measure cells.</summary>
    public static IReadOnlyCollection<string> ArgumentsOf(string engine, string folder, LoadSettings settings) =>
        [Name, engine, folder, JsonSerializer.Serialize(settings, LoadSettingsJson.Default.LoadSettings)];
}
