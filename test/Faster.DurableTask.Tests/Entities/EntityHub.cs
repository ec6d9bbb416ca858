using DurableTask.Core;
using DurableTask.Core.Entities;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Entities;

/// <summary>A hub with the bank's programs.</summary>
internal sealed class EntityHub : IAsyncDisposable
{
    private readonly TaskHubWorker _worker;

    private EntityHub(FasterOrchestrationService service, TaskHubWorker worker)
    {
        (Service, _worker) = (service, worker);
        Client = new TaskHubClient(service);
    }

    public FasterOrchestrationService Service { get; }

    public TaskHubClient Client { get; }

    public static async Task<EntityHub> OpenAsync(string? folder, DurableHubOptions options)
    {
        FasterOrchestrationService service = new(folder, options);
        await service.StartAsync();
        TaskHubWorker worker = Bank.Programs().Worker(service);
        await worker.StartAsync();
        return new EntityHub(service, worker);
    }

    /// <summary>Signals an account.</summary>
    public Task SignalAsync(string key, string operation, string? input, DateTime? at = null)
    {
        OrchestrationInstance target = new() { InstanceId = new EntityId("account", key).ToString() };
        return Client.ServiceClient.SendTaskOrchestrationMessageAsync(ClientEntityHelpers.EmitOperationSignal(
            target, Guid.NewGuid(), operation, input, at is { } time ? (time, time) : null).AsTaskMessage());
    }

    /// <summary>What an account has; null if there is none.</summary>
    public async Task<string?> BalanceAsync(string key) => (await Service.EntityBackendQueries.GetEntityAsync(
        new EntityId("account", key), includeState: true))?.SerializedState;

    /// <summary>Waits until something is so.</summary>
    public async Task UntilAsync(Func<Task<bool>> isSo)
    {
        using CancellationTokenSource limit = new(TestHub.Limit);
        while (!await isSo())
        {
            limit.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    /// <summary>Waits until nothing waits.</summary>
    public Task UntilIdleAsync() => UntilAsync(() => Task.FromResult(Service.Statistics.Waiting == 0));

    public async ValueTask DisposeAsync()
    {
        await _worker.StopAsync(isForced: true);
        await Service.DisposeAsync();
        _worker.Dispose();
    }
}
