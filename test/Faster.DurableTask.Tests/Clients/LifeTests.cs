using DurableTask.Core;
using DurableTask.Core.Exceptions;
using Faster.DurableTask.Tests.Hubs;
using Microsoft.Extensions.Time.Testing;

namespace Faster.DurableTask.Tests.Clients;

/// <summary>What clients are promised about one instance: creation, events, suspension, termination, purging.</summary>
public class LifeTests
{
    private static readonly OrchestrationStatus[] Ended =
        [OrchestrationStatus.Completed, OrchestrationStatus.Failed, OrchestrationStatus.Terminated];

    [Fact]
    public async Task Three_activities_in_a_row()
    {
        using TestFolder folder = new();
        await using TestHub hub = await TestHub.OpenAsync(folder.Path, Register);
        OrchestrationState end = await hub.RunAsync("hello", "one", "x");
        Assert.Equal(OrchestrationStatus.Completed, end.OrchestrationStatus);
        Assert.Equal("\"x123\"", end.Output);
        Assert.True(hub.Service.Statistics.Steps > 4);
    }

    [Fact]
    public async Task Instance_that_has_not_ended_is_never_replaced()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register);
        await hub.CreateAsync("listen", "one");
        foreach (OrchestrationStatus[]? refused in new[] { null, [], Ended })
        {
            await Assert.ThrowsAsync<OrchestrationAlreadyExistsException>(() =>
                hub.Client.CreateOrchestrationInstanceAsync("listen", "", "one", null, null, refused));
        }

        await hub.Client.RaiseEventAsync(new OrchestrationInstance { InstanceId = "one" }, "go", "on");
        Assert.Equal(OrchestrationStatus.Completed, (await hub.EndAsync("one")).OrchestrationStatus);
        await Assert.ThrowsAsync<OrchestrationAlreadyExistsException>(() =>
            hub.Client.CreateOrchestrationInstanceAsync("hello", "", "one", "x", null, Ended));
        await hub.Client.CreateOrchestrationInstanceAsync("hello", "", "one", "y", null, []);
        Assert.Equal("\"y123\"", (await hub.UntilAsync("one", s => s!.Name == "hello" && s.Output is not null)).Output);
    }

    [Fact]
    public async Task Start_that_is_scheduled_can_be_terminated_and_does_not_come()
    {
        using TestFolder folder = new();
        FakeTimeProvider clock = new(DateTimeOffset.UtcNow);
        await using TestHub hub = await TestHub.OpenAsync(
            folder.Path, Register, TestHub.Options() with { TimeProvider = clock });
        DateTime at = clock.GetUtcNow().UtcDateTime.AddHours(1);
        OrchestrationInstance late =
            await hub.Client.CreateScheduledOrchestrationInstanceAsync("hello", "", "late", "x", at);
        await hub.Client.CreateScheduledOrchestrationInstanceAsync("hello", "", "kept", "x", at);
        Assert.Equal(OrchestrationStatus.Pending, (await hub.StateAsync("late")).OrchestrationStatus);
        await hub.Client.TerminateInstanceAsync(late, "no more");
        OrchestrationState end = await hub.EndAsync("late");
        Assert.Equal(OrchestrationStatus.Terminated, end.OrchestrationStatus);
        Assert.Equal("no more", end.Output);
        clock.Advance(TimeSpan.FromMinutes(61));
        Assert.Equal("\"x123\"", (await hub.EndAsync("kept")).Output);
        Assert.Equal(OrchestrationStatus.Terminated, (await hub.StateAsync("late")).OrchestrationStatus);
        await hub.UntilIdleAsync();
    }

    [Fact]
    public async Task Event_that_comes_while_a_start_waits_for_its_time_is_kept()
    {
        FakeTimeProvider clock = new(DateTimeOffset.UtcNow);
        await using TestHub hub = await TestHub.OpenAsync(
            null, Register, TestHub.Options() with { TimeProvider = clock });
        OrchestrationInstance late = await hub.Client.CreateScheduledOrchestrationInstanceAsync(
            "listen", "", "late", null, clock.GetUtcNow().UtcDateTime.AddHours(1));
        await hub.Client.RaiseEventAsync(late, "go", "early");
        clock.Advance(TimeSpan.FromHours(2));
        Assert.Equal("\"early\"", (await hub.EndAsync("late")).Output?.Replace("\\\"", "", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Suspended_instance_does_nothing_until_it_is_resumed()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register);
        OrchestrationInstance one = await hub.CreateAsync("listen", "one");
        await hub.UntilAsync("one", static state => state!.OrchestrationStatus == OrchestrationStatus.Running);
        await hub.Client.SuspendInstanceAsync(one, "pause");
        await hub.UntilAsync("one", static state => state!.OrchestrationStatus == OrchestrationStatus.Suspended);
        await hub.Client.RaiseEventAsync(one, "go", "on");
        await Assert.ThrowsAsync<TimeoutException>(() =>
            hub.Client.WaitForOrchestrationAsync(one, TimeSpan.FromMilliseconds(100)));
        await hub.Client.ResumeInstanceAsync(one, "go on");
        Assert.Equal(OrchestrationStatus.Completed, (await hub.EndAsync("one")).OrchestrationStatus);
    }

    [Fact]
    public async Task Terminated_instance_leaves_no_timer()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register);
        OrchestrationInstance one = await hub.CreateAsync("sleep", "one", 3600);
        await hub.UntilAsync("one", static state => state!.OrchestrationStatus == OrchestrationStatus.Running);
        Assert.Equal(1, hub.Service.Statistics.Waiting);
        await hub.Client.TerminateInstanceAsync(one, "enough");
        Assert.Equal(OrchestrationStatus.Terminated, (await hub.EndAsync("one")).OrchestrationStatus);
        await hub.UntilIdleAsync();
    }

    [Fact]
    public async Task Timer_fires_when_its_time_has_come_and_not_before_whatever_the_clock_does()
    {
        FakeTimeProvider clock = new(DateTimeOffset.UtcNow);
        await using TestHub hub = await TestHub.OpenAsync(
            null, Register, TestHub.Options() with { TimeProvider = clock });
        await hub.CreateAsync("sleep", "one", 3600);
        await hub.UntilAsync("one", _ => hub.Service.Statistics.Timers == 1);
        clock.Advance(TimeSpan.FromMinutes(59));
        Assert.Equal(OrchestrationStatus.Running, (await hub.StateAsync("one")).OrchestrationStatus);
        Assert.Equal(1, hub.Service.Statistics.Timers);
        clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal(OrchestrationStatus.Completed, (await hub.EndAsync("one")).OrchestrationStatus);
    }

    [Fact]
    public async Task Messages_for_absent_and_ended_instances_leave_nothing()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register);
        await hub.RunAsync("hello", "over", "x");
        foreach (string id in new[] { "over", "absent" })
        {
            OrchestrationInstance target = new() { InstanceId = id };
            await hub.Client.RaiseEventAsync(target, "go", "on");
            await hub.Client.TerminateInstanceAsync(target, "x");
        }

        Assert.Null(await hub.StateAsync("absent"));
        Assert.Equal(OrchestrationStatus.Completed, (await hub.StateAsync("over")).OrchestrationStatus);
        await hub.UntilIdleAsync();
    }

    [Fact]
    public async Task Purged_instance_is_gone_and_its_id_is_free()
    {
        using TestFolder folder = new();
        await using TestHub hub = await TestHub.OpenAsync(folder.Path, Register);
        OrchestrationInstance one = await hub.CreateAsync("listen", "one");
        Assert.Equal(0, (await hub.Service.PurgeInstanceStateAsync("one")).DeletedInstanceCount);
        await hub.Client.RaiseEventAsync(one, "go", "on");
        await hub.EndAsync("one");
        Assert.Equal(1, (await hub.Service.PurgeInstanceStateAsync("one")).DeletedInstanceCount);
        Assert.Equal(0, (await hub.Service.PurgeInstanceStateAsync("one")).DeletedInstanceCount);
        Assert.Null(await hub.StateAsync("one"));
        Assert.Equal("[]", await hub.Service.GetOrchestrationHistoryAsync("one", null));
        Assert.Equal("\"z123\"", (await hub.RunAsync("hello", "one", "z")).Output);
    }

    [Fact]
    public async Task History_has_each_step_and_one_chunk_in_the_end()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register);
        await hub.RunAsync("hello", "one", "x");
        string history = await hub.Service.GetOrchestrationHistoryAsync("one", null);
        Assert.Equal(3, history.Split("TaskScheduledEvent,").Length - 1);
        Assert.Equal(3, history.Split("TaskCompletedEvent,").Length - 1);
        Assert.Single(history.Split("ExecutionCompletedEvent,")[1..]);
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 51)]
    public async Task Instance_in_memory_goes_on_without_a_replay(bool keepsExecutions, int runs)
    {
        int begun = 0;
        await using TestHub hub = await TestHub.OpenAsync(
            null, worker => worker.Activity<int, int>("next", static (_, number) => number + 1)
                .Orchestration<int, int>("row", async (context, number) =>
                {
                    Interlocked.Increment(ref begun);
                    while (number < 50) number = await context.ScheduleTask<int>("next", "", number);
                    return number;
                }), TestHub.Options() with { ExtendedSessions = keepsExecutions });
        Assert.Equal("50", (await hub.RunAsync("row", "one", 0)).Output);
        Assert.Equal(runs, begun);
    }

    [Fact]
    public async Task Ids_that_could_not_be_stored_are_refused()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register);
        foreach (string? id in new[] { null, "", "half \ud83d", "\ude00", new string('x', 513) })
        {
            await Assert.ThrowsAnyAsync<ArgumentException>(() => hub.Service.GetOrchestrationStateAsync(id!, null));
            await Assert.ThrowsAnyAsync<ArgumentException>(() =>
                hub.Service.ForceTerminateTaskOrchestrationAsync(id!, "x"));
        }
    }

    private static void Register(TaskHubWorker worker) => worker
        .Activity<string, string>("add1", static (_, text) => text + "1")
        .Activity<string, string>("add2", static (_, text) => text + "2")
        .Activity<string, string>("add3", static (_, text) => text + "3")
        .Orchestration<string, string>("hello", static async (context, text) =>
        {
            text = await context.ScheduleTask<string>("add1", "", text);
            text = await context.ScheduleTask<string>("add2", "", text);
            return await context.ScheduleTask<string>("add3", "", text);
        })
        .Orchestration<int, string>("sleep", static async (context, seconds) =>
            await context.CreateTimer(context.CurrentUtcDateTime.AddSeconds(seconds), "awake"))
        .Orchestration<string, string>("listen", static (context, _) => Mailbox.Current!.NextAsync("go"));
}
