using DurableTask.Core;
using DurableTask.Core.Entities;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Entities;

/// <summary>Entities: signals, critical sections over partitions, locks without an owner, deletion, queries.</summary>
public class EntityTests
{
    [Theory]
    [InlineData(1, true)]
    [InlineData(4, true)]
    [InlineData(3, false)]
    public async Task Transfers_in_both_directions_are_exact(int partitions, bool isDurable)
    {
        using TestFolder folder = new();
        await using EntityHub hub = await EntityHub.OpenAsync(
            isDurable ? folder.Path : null, TestHub.Options(partitions) with { CachedInstances = 3 });
        List<string> told = [];
        await Bank.RunAsync(hub.Service, 60, 12, line =>
        {
            lock (told) told.Add(line);
        });
        Assert.Equal(60, told.Count(static line => line.StartsWith("done ", StringComparison.Ordinal)));
        Assert.Equal(Bank.Expected(60), await Bank.BalancesAsync(hub.Service));
        await hub.UntilIdleAsync();
    }

    [Fact]
    public async Task Locks_of_an_owner_that_is_gone_are_released()
    {
        await using EntityHub hub = await EntityHub.OpenAsync(null, TestHub.Options(3));
        OrchestrationInstance one =
            await hub.Client.CreateOrchestrationInstanceAsync("hold", "", "one", new[] { 0, 1, 2 });
        await hub.UntilAsync(async () =>
            (await hub.Service.GetOrchestrationStateAsync("one", null)).Status is not null);
        Assert.Equal(3, (await LockedAsync(hub)).Count);
        Assert.Equal(0, (await CleanAsync(hub)).OrphanedLocksReleased);
        await hub.Client.TerminateInstanceAsync(one, "lost");
        await hub.Client.WaitForOrchestrationAsync(one, TestHub.Limit);
        Assert.Equal(3, (await CleanAsync(hub)).OrphanedLocksReleased);
        await hub.UntilAsync(async () => (await LockedAsync(hub)).Count == 0);
        OrchestrationInstance next = await hub.Client.CreateOrchestrationInstanceAsync(
            "transfer", "", "next", new[] { 1, 0, 5 });
        Assert.Equal("\"exact\"", (await hub.Client.WaitForOrchestrationAsync(next, TestHub.Limit)).Output);
    }

    [Fact]
    public async Task Signals_have_their_effect_once_and_in_order()
    {
        using TestFolder folder = new();
        await using EntityHub hub = await EntityHub.OpenAsync(folder.Path, TestHub.Options(2));
        await Task.WhenAll(Enumerable.Range(1, 50).Select(amount => hub.SignalAsync("a", "add", $"{amount}")));
        await hub.UntilAsync(async () => await hub.BalanceAsync("a") == "1275");
    }

    [Fact]
    public async Task Signal_with_a_time_comes_at_that_time()
    {
        await using EntityHub hub = await EntityHub.OpenAsync(null, TestHub.Options());
        DateTime at = DateTime.UtcNow.AddMilliseconds(300); // by the system's clock, at which DurableTask looks, too
        await hub.SignalAsync("a", "add", "5", at);
        await hub.SignalAsync("a", "add", "1");
        await hub.UntilAsync(async () => await hub.BalanceAsync("a") == "6");
        Assert.True(DateTime.UtcNow >= at, "The signal came before its time.");
    }

    [Fact]
    public async Task Queries_have_each_entity_once_and_empty_ones_are_removed()
    {
        await using EntityHub hub = await EntityHub.OpenAsync(null, TestHub.Options(3));
        for (int key = 0; key < 25; key++) await hub.SignalAsync($"k{key}", "add", "1");
        await hub.UntilAsync(async () => (await AllAsync(hub, new EntityBackendQueries.EntityQuery())).Count == 25);
        List<EntityBackendQueries.EntityMetadata> paged = await AllAsync(
            hub, new EntityBackendQueries.EntityQuery { PageSize = 4, IncludeState = true });
        Assert.Equal(25, paged.Select(static entity => entity.EntityId.Key).Distinct().Count());
        Assert.All(paged, static entity => Assert.Equal("1", entity.SerializedState));
        Assert.Empty(await AllAsync(hub, new EntityBackendQueries.EntityQuery { InstanceIdStartsWith = "@other" }));
        Assert.Empty(await AllAsync(
            hub, new EntityBackendQueries.EntityQuery { LastModifiedFrom = DateTime.UtcNow.AddHours(1) }));
        await hub.SignalAsync("k3", "delete", null);
        await hub.UntilAsync(async () => await hub.BalanceAsync("k3") is null);
    }

    [Fact]
    public async Task Operation_that_throws_has_no_effect_and_the_entity_goes_on()
    {
        await using EntityHub hub = await EntityHub.OpenAsync(null, TestHub.Options());
        await hub.SignalAsync("a", "add", "2");
        await hub.SignalAsync("a", "fail", null);
        await hub.SignalAsync("a", "add", "3");
        await hub.UntilAsync(async () => await hub.BalanceAsync("a") == "5");
    }

    private static async Task<List<EntityBackendQueries.EntityMetadata>> LockedAsync(EntityHub hub) =>
        [.. (await AllAsync(hub, new EntityBackendQueries.EntityQuery { IncludeTransient = true }))
            .Where(static entity => entity.LockedBy is not null)];

    private static Task<EntityBackendQueries.CleanEntityStorageResult> CleanAsync(EntityHub hub) =>
        hub.Service.EntityBackendQueries.CleanEntityStorageAsync(
            new EntityBackendQueries.CleanEntityStorageRequest { ReleaseOrphanedLocks = true });

    private static async Task<List<EntityBackendQueries.EntityMetadata>> AllAsync(
        EntityHub hub, EntityBackendQueries.EntityQuery query)
    {
        List<EntityBackendQueries.EntityMetadata> all = [];
        do
        {
            EntityBackendQueries.EntityQueryResult page =
                await hub.Service.EntityBackendQueries.QueryEntitiesAsync(query, default);
            all.AddRange(page.Results);
            query.ContinuationToken = page.ContinuationToken;
        }
        while (query.ContinuationToken is not null);

        return all;
    }
}
