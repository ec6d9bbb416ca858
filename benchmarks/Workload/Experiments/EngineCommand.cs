using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Faster.Workload.Experiments;

/// <summary>
/// A command by which the driver has a program measure one engine in a process of its own: it prints each result as one
/// line of JSON. Not shown in help; the driver makes its arguments with <see cref="ArgumentsOf"/>.
/// </summary>
/// <param name="name">The command's name.</param>
/// <param name="description">What it measures.</param>
/// <param name="json">How its settings are written.</param>
/// <param name="run">Measures a source's engine in a folder, and tells each result as soon as it is there.</param>
internal sealed class EngineCommand<TSettings>(
    string name, string description, JsonTypeInfo<TSettings> json,
    Func<IEngineSource, string, TSettings, Action<StepResult>, Task> run)
{
    /// <summary>Makes the command, for the engines that a program has.</summary>
    public Command Create(IReadOnlyCollection<IEngineSource> sources)
    {
        var engine = new Argument<string>("engine");
        var folder = new Argument<string>("folder");
        var settings = new Argument<string>("settings");
        var command = new Command(name, description) { engine, folder, settings };
        command.Hidden = true;
        command.SetAction(async (parsed, _) =>
        {
            IEngineSource source = sources.Single(s => s.Name == parsed.GetValue(engine));
            TSettings given = JsonSerializer.Deserialize(parsed.GetValue(settings)!, json)!;
            await run(source, parsed.GetValue(folder)!, given, static result => Console.WriteLine(
                JsonSerializer.Serialize(result, StepJson.Default.StepResult)));
        });
        return command;
    }

    /// <summary>The arguments that make a program measure an engine.</summary>
    public IReadOnlyCollection<string> ArgumentsOf(string engine, string folder, TSettings settings) =>
        [name, engine, folder, JsonSerializer.Serialize(settings, json)];
}
