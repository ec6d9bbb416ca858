using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;

namespace Faster.Ycsb.Running;

/// <summary>Has a program do a step of an experiment, in a process of its own.</summary>
internal static class StepRunner
{
    /// <summary>Runs a step over a folder.</summary>
    /// <exception cref="InvalidOperationException">The process failed; the message holds what it wrote.</exception>
    public static async Task<TResult> RunAsync<TResult>(
        StepKind step, EngineEntry engine, DataFolder folder, StepSettings settings,
        CancellationToken cancellationToken)
        where TResult : StepResult
    {
        IReadOnlyCollection<string> arguments = StepCommand.ArgumentsOf(step, engine.Name, folder.Path, settings);
        string output = await ChildProgram.RunAsync(engine.Program, arguments, cancellationToken);
        return (TResult)JsonSerializer.Deserialize(output, StepJson.Default.StepResult)!;
    }
}
