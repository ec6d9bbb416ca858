using DurableTask.Core;
using Faster.DurableTask.Tests.Hubs;
using Microsoft.DurableTask;

namespace Faster.DurableTask.Tests.Entities;

/// <summary>Orchestrations that continue as new while events come.</summary>
public class EternalTests
{
    private const int Events = 20;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task No_event_is_lost_between_executions_with_timers(bool keepsExecutions)
    {
        await using FasterOrchestrationService service = new(
            null, TestHub.Options() with { ExtendedSessions = keepsExecutions });
        await service.StartAsync();
        using TaskHubWorker worker = new Shims().Orchestration<int, int>("count", static async (context, seen) =>
        {
            Task<string> next = context.WaitForExternalEvent<string>("event");
            await context.CreateTimer(TimeSpan.FromMilliseconds(1), default);
            await next;
            if (seen + 1 < Events) context.ContinueAsNew(seen + 1);
            return seen + 1;
        }).Worker(service);
        await worker.StartAsync();
        TaskHubClient client = new(service);
        await client.CreateOrchestrationInstanceAsync("count", "", "one", 0);
        OrchestrationInstance any = new() { InstanceId = "one" };
        for (int number = 0; number < Events; number++) await client.RaiseEventAsync(any, "event", $"{number}");
        OrchestrationState end = await client.WaitForOrchestrationAsync(any, TestHub.Limit);
        Assert.Equal($"{Events}", end.Output);
        await worker.StopAsync(isForced: true);
    }
}
