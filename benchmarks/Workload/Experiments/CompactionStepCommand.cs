using System.CommandLine;
using System.Text.Json;

namespace Faster.Workload.Experiments;

/// <summary>
/// The command by which the driver has a program compact a store in a process of its own: it prints the result as one
/// line of JSON. Not shown in help; the driver makes its arguments with <see cref="ArgumentsOf"/>.
/// </summary>
internal static class CompactionStepCommand
{
    private const string Name = "compaction-step";

    /// <summary>Makes the command, for the engines that a program has.</summary>
    public static Command Create(IReadOnlyCollection<IEngineSource> sources)
    {
        var engine = new Argument<string>("engine");
        var folder = new Argument<string>("folder");
        var settings = new Argument<string>("settings");
        var command = new Command(Name, "One compaction of one engine.") { engine, folder, settings };
        command.Hidden = true;
        command.SetAction(async (parsed, _) =>
        {
            IEngineSource source = sources.Single(s => s.Name == parsed.GetValue(engine));
            CompactionSettings given = JsonSerializer.Deserialize(
                parsed.GetValue(settings)!, CompactionSettingsJson.Default.CompactionSettings)!;
            StepResult result = await CompactionStep.RunAsync(source, parsed.GetValue(folder)!, given);
            Console.WriteLine(JsonSerializer.Serialize(result, StepJson.Default.StepResult));
        });
        return command;
    }

    /// <summary>The arguments that make a program compact a store.</summary>
    public static IReadOnlyCollection<string> ArgumentsOf(string engine, string folder, CompactionSettings settings) =>
    [
        Name, engine, folder,
        JsonSerializer.Serialize(settings, CompactionSettingsJson.Default.CompactionSettings),
    ];
}
