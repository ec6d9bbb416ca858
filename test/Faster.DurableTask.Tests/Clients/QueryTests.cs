using DurableTask.Core;
using DurableTask.Core.Query;
using Faster.DurableTask.Tests.Hubs;
using Microsoft.Extensions.Time.Testing;

namespace Faster.DurableTask.Tests.Clients;

/// <summary>Queries and purges over all instances, of this opening and of the ones before.</summary>
public class QueryTests
{
    private const int Instances = 60;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Pages_have_each_instance_once_before_and_after_a_reopening(int partitions)
    {
        using TestFolder folder = new();
        await using (TestHub hub = await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(partitions)))
        {
            await FillAsync(hub);
            await CheckAsync(hub);
        }

        await using TestHub again = await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(partitions));
        await CheckAsync(again);
        Assert.Equal(Instances, again.Service.Statistics.Instances);
    }

    [Fact]
    public async Task Filters_select_by_status_prefix_and_time()
    {
        await using TestHub hub = await TestHub.OpenAsync(null, Register, TestHub.Options(2));
        await FillAsync(hub);
        Assert.Equal(Instances / 3, (await AllAsync(hub, static query =>
            query.RuntimeStatus = [OrchestrationStatus.Failed])).Count);
        Assert.Equal(10, (await AllAsync(hub, static query => query.InstanceIdPrefix = "i2")).Count);
        Assert.Empty(await AllAsync(hub, static query => query.CreatedTimeFrom = DateTime.UtcNow.AddHours(1)));
        Assert.Equal(Instances, (await AllAsync(hub, static query =>
            query.CreatedTimeTo = DateTime.UtcNow.AddHours(1))).Count);
        OrchestrationState bare = (await AllAsync(hub, static query => query.FetchInputsAndOutputs = false))[0];
        Assert.Null(bare.Input);
        await Assert.ThrowsAsync<ArgumentException>(() => AllAsync(hub, static query => query.ContinuationToken = "x"));
    }

    [Fact]
    public async Task Purges_by_filter_delete_those_and_no_other()
    {
        using TestFolder folder = new();
        await using TestHub hub = await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(2));
        await FillAsync(hub);
        OrchestrationInstance waiting = await hub.CreateAsync("listen", "waiting");
        PurgeResult failed = await hub.Service.PurgeInstanceStateAsync(
            new PurgeInstanceFilter(DateTime.MinValue, null, [OrchestrationStatus.Failed]));
        Assert.Equal((Instances / 3, true), (failed.DeletedInstanceCount, failed.IsComplete));
        await hub.Service.PurgeOrchestrationHistoryAsync(
            DateTime.UtcNow.AddHours(1), OrchestrationStateTimeRangeFilterType.OrchestrationCompletedTimeFilter);
        OrchestrationState left = Assert.Single(await AllAsync(hub, static _ => { }));
        Assert.Equal("waiting", left.OrchestrationInstance.InstanceId);
        await hub.Client.RaiseEventAsync(waiting, "go", "on");
        await hub.EndAsync("waiting");
    }

    [Fact]
    public async Task Ended_instances_are_kept_as_long_as_the_retention_says()
    {
        FakeTimeProvider clock = new(DateTimeOffset.UtcNow);
        await using TestHub hub = await TestHub.OpenAsync(
            null, Register, TestHub.Options() with { TimeProvider = clock, Retention = TimeSpan.FromHours(1) });
        await hub.RunAsync("end", "one", false);
        clock.Advance(TimeSpan.FromMinutes(50));
        Assert.NotNull(await hub.StateAsync("one"));
        clock.Advance(TimeSpan.FromMinutes(11));
        await hub.UntilAsync("one", static state => state is null);
    }

    private static async Task FillAsync(TestHub hub)
    {
        await Task.WhenAll(Enumerable.Range(0, Instances).Select(number =>
            hub.RunAsync("end", $"i{number % 6}-{number}", number % 3 == 0)));
    }

    private static async Task CheckAsync(TestHub hub)
    {
        List<OrchestrationState> all = await AllAsync(hub, static query => query.PageSize = 7);
        Assert.Equal(
            Enumerable.Range(0, Instances).Select(static number => $"i{number % 6}-{number}").Order(),
            all.Select(static state => state.OrchestrationInstance.InstanceId).Order());
        Assert.All(all, static state => Assert.NotNull(state.Input));
    }

    private static async Task<List<OrchestrationState>> AllAsync(TestHub hub, Action<OrchestrationQuery> set)
    {
        OrchestrationQuery query = new();
        set(query);
        List<OrchestrationState> all = [];
        do
        {
            OrchestrationQueryResult page = await hub.Service.GetOrchestrationWithQueryAsync(query, default);
            Assert.True(page.OrchestrationState.Count <= query.PageSize);
            all.AddRange(page.OrchestrationState);
            query.ContinuationToken = page.ContinuationToken;
        }
        while (query.ContinuationToken is not null);

        return all;
    }

    private static void Register(TaskHubWorker worker) => worker
        .Orchestration<bool, string>("end", static (_, fails) =>
            fails ? throw new InvalidOperationException("as asked") : Task.FromResult("done"))
        .Orchestration<string, string>("listen", static (_, _) => Mailbox.Current!.NextAsync("go"));
}
