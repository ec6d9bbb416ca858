using System.Globalization;
using DurableTask.Core;
using DurableTask.Core.Exceptions;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Programs;

/// <summary>Interprets programs: what an instance returns depends on its program only.</summary>
internal static class Interpreter
{
    public static void Register(TaskHubWorker worker) => worker
        .Activity<int, string>("call", static (_, number) => $"c{number}")
        .Activity<int, string>("fail", static (_, number) => throw new InvalidOperationException($"f{number}"))
        .Orchestration<string, string>("again", AgainAsync)
        .Orchestration<string, string>(
            "told", static async (_, _) => "told " + await Mailbox.Current!.NextAsync("news"))
        .Orchestration<string, string>("run", RunAsync);

    private static async Task<string> RunAsync(OrchestrationContext context, string text)
    {
        Mailbox mailbox = Mailbox.Current!;
        List<string> results = [];
        int position = 0;
        foreach (Node part in Node.Parse(text).Parts)
        {
            string id = $"{context.OrchestrationInstance.InstanceId}.{position++}";
            results.Add(await RunAsync(context, mailbox, part, id));
        }

        return string.Join(',', results);
    }

    private static async Task<string> RunAsync(OrchestrationContext context, Mailbox mailbox, Node part, string id)
    {
        switch (part.Operation)
        {
            case "call": return await context.ScheduleTask<string>("call", "", part.Number);
            case "fail": return await FailureAsync(context.ScheduleTask<string>("fail", "", part.Number));
            case "fan":
                string[] all = await Task.WhenAll(Enumerable.Range(0, part.Number)
                    .Select(number => context.ScheduleTask<string>("call", "", number)));
                return string.Concat(all);
            case "timer":
                return await context.CreateTimer(context.CurrentUtcDateTime.AddMilliseconds(part.Number), "t");
            case "wait": return await mailbox.NextAsync("e" + part.Number.ToString(CultureInfo.InvariantCulture));
            case "tell":
                Task<string> told = context.CreateSubOrchestrationInstance<string>("told", "", id, null);
                context.SendEvent(new OrchestrationInstance { InstanceId = id }, "news", part.Number);
                return await told;
            case "again":
                return await context.CreateSubOrchestrationInstance<string>("again", "", id, $"{part.Number} ");
            case "lost":
                return await FailureAsync(context.CreateSubOrchestrationInstance<string>("run", "", id, "no program"));
            case "sub":
                string inner = part.Parts[0].ToString();
                return $"[{await context.CreateSubOrchestrationInstance<string>("run", "", id, inner)}]";
            default: return part.Operation;
        }
    }

    // As many executions as the number says, each with an activity.
    private static async Task<string> AgainAsync(OrchestrationContext context, string state)
    {
        string[] parts = state.Split(' ');
        int left = int.Parse(parts[0], CultureInfo.InvariantCulture);
        string sum = parts[1] + await context.ScheduleTask<string>("call", "", left);
        if (left == 0) return sum;
        context.ContinueAsNew($"{left - 1} {sum}");
        return "";
    }

    private static async Task<string> FailureAsync(Task<string> task)
    {
        try
        {
            return "no failure but " + await task;
        }
        catch (OrchestrationException e)
        {
            return "failed: " + e.Message;
        }
    }
}
