using DurableTask.Core;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Clients;

/// <summary>Tags of orchestrations and activities.</summary>
public class TagTests
{
    [Fact]
    public async Task Empty_tags_are_null_and_others_stay_over_executions_and_a_restart()
    {
        using TestFolder folder = new();
        Dictionary<string, string> tags = new() { ["key with spaces"] = "\"quoted\"", ["\u65e5"] = "\u4e2d" };
        await using (TestHub hub = await TestHub.OpenAsync(folder.Path, Register))
        {
            await hub.Client.CreateOrchestrationInstanceAsync("again", "", "none", 2, new Dictionary<string, string>());
            await hub.Client.CreateOrchestrationInstanceAsync("again", "", "some", 3, tags);
            Assert.Null((await hub.EndAsync("none")).Tags);
            Assert.Equal(tags, (await hub.EndAsync("some")).Tags);
        }

        await using TestHub later = await TestHub.OpenAsync(folder.Path, Register);
        Assert.Null((await later.StateAsync("none")).Tags);
        Assert.Equal(tags, (await later.StateAsync("some")).Tags);
    }

    [Fact]
    public async Task Activity_sees_the_tags_of_its_orchestration_and_its_own()
    {
        List<string> seen = [];
        await using TestHub hub = await TestHub.OpenAsync(null, worker =>
        {
            Register(worker);
            worker.AddActivityDispatcherMiddleware((context, next) =>
            {
                var tags = context.GetProperty<OrchestrationExecutionContext>().OrchestrationTags;
                lock (seen) seen.Add(string.Join(' ', tags.Select(static tag => $"{tag.Key}={tag.Value}").Order()));
                return next();
            });
        });
        await hub.Client.CreateOrchestrationInstanceAsync(
            "calls", "", "one", "x", new Dictionary<string, string> { ["a"] = "1", ["b"] = "2" });
        await hub.EndAsync("one");
        Assert.Equal(["a=1 b=2", "a=1 b=own"], seen);
    }

    private static void Register(TaskHubWorker worker) => worker
        .Activity<string, string>("act", static (_, text) => text)
        .Orchestration<string, string>("calls", static async (context, text) =>
        {
            text = await context.ScheduleTask<string>("act", "", text);
            ScheduleTaskOptions own = ScheduleTaskOptions.CreateBuilder().AddTag("b", "own").Build();
            return await context.ScheduleTask<string>("act", "", own, text);
        })
        .Orchestration<int, string>("again", static async (context, left) =>
        {
            await context.CreateTimer(DateTime.MinValue, "now");
            if (left > 0) context.ContinueAsNew(left - 1);
            return "done";
        });
}
