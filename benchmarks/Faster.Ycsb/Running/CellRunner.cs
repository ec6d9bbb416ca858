using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Running;

/// <summary>Runs loads one after the other, each in a process and a folder of its own.</summary>
internal static class CellRunner
{
    /// <summary>Runs loads.</summary>
    /// <param name="loads">The loads, in their order.</param>
    /// <param name="data">The folder that theirs lie in, or null for the temporary one.</param>
    /// <param name="limit">The memory that each process may take, or null.</param>
    /// <param name="cancellationToken">Stops.</param>
    /// <exception cref="InvalidOperationException">A process failed; the message holds what it wrote.</exception>
    public static async Task<List<RunResult>> RunAsync(
        CellLoad[] loads, string? data, MemoryLimit? limit, CancellationToken cancellationToken)
    {
        return await Progress.ShowAsync(loads.Length, async progress =>
        {
            var measured = new List<RunResult>();
            foreach (CellLoad load in loads)
            {
                long? bytes = limit?.Of(load.Settings);
                using ControlGroup? group = GroupOf(bytes);
                LoadSettings settings = group is null
                    ? load.Settings
                    : load.Settings with { ControlGroup = group.Path, LimitBytes = bytes };
                string point = load.Point is { } p ? $", {p.Axis} {p.Value}" : "";
                string step = $"run {load.Run}, {load.Engine.Name}{point}";
                progress.Begin(step);
                using DataFolder folder = DataFolder.Create(data);
                IReadOnlyCollection<string> arguments = EngineCommands.Cells.ArgumentsOf(
                    load.Engine.Name, folder.Path, settings);
                string output = await ChildProgram.RunAsync(load.Engine.Program, arguments, cancellationToken);
                RunResult[] results = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(Parse)];
                measured.AddRange(results.Select(r => r with { Run = load.Run, Sweep = load.Point }));
                progress.End(step, string.Join("; ", results.Select(Tell)));
            }

            return measured;
        });
    }

    private static RunResult Parse(string line) =>
        (RunResult)JsonSerializer.Deserialize(line, StepJson.Default.StepResult)!;

    private static string Tell(RunResult r) =>
        $"{r.Workload} {r.Distribution} {r.Threads}T {Figures.Rate(r.OperationsPerSecond)}";

    private static ControlGroup? GroupOf(long? limit)
    {
        if (limit is not { } bytes)
            return null;
        ControlGroup? group = ControlGroup.TryCreate(bytes, out string reason);
        if (group is null)
            Progress.Note($"--limit is not applied: {reason}.");
        return group;
    }
}
