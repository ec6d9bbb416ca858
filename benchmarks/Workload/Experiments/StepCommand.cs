using System.CommandLine;
using System.Text.Json;

namespace Faster.Workload.Experiments;

/// <summary>
/// The command by which the driver has a program do one step in a process of its own: it prints the result as one line
/// of JSON. Not shown in help; the driver makes its arguments with <see cref="ArgumentsOf"/>.
/// </summary>
internal static class StepCommand
{
    private const string Name = "step";

    /// <summary>Makes the command, for the engines that a program has.</summary>
    public static Command Create(IReadOnlyCollection<ICommitEngineSource> sources)
    {
        var step = new Argument<StepKind>("kind");
        var engine = new Argument<string>("engine");
        var folder = new Argument<string>("folder");
        var settings = new Argument<string>("settings");
        var command = new Command(Name, "One step of an experiment.") { step, engine, folder, settings };
        command.Hidden = true;
        command.SetAction(async (parsed, _) =>
        {
            ICommitEngineSource source = sources.Single(s => s.Name == parsed.GetValue(engine));
            StepSettings given = JsonSerializer.Deserialize(
                parsed.GetValue(settings)!, StepSettingsJson.Default.StepSettings)!;
            StepResult result = await RunAsync(parsed.GetValue(step), source, parsed.GetValue(folder)!, given);
            Console.WriteLine(JsonSerializer.Serialize(result, StepJson.Default.StepResult));
        });
        return command;
    }

    /// <summary>The arguments that make a program do a step.</summary>
    public static IReadOnlyCollection<string> ArgumentsOf(
        StepKind step, string engine, string folder, StepSettings settings) =>
    [
        Name, step.ToString(), engine, folder,
        JsonSerializer.Serialize(settings, StepSettingsJson.Default.StepSettings),
    ];

    private static async Task<StepResult> RunAsync(
        StepKind step, ICommitEngineSource source, string folder, StepSettings settings) => step switch
        {
            StepKind.Commit => await CommitStep.RunAsync(source, folder, settings),
            StepKind.Recovery => await RecoverStep.RunAsync(source, folder, settings),
            StepKind.Timeline => await TimelineStep.RunAsync(source, folder, settings),
            _ => await BufferStep.RunAsync(source, folder, settings),
        };
}
