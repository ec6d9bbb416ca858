using DurableTask.Core;
using DurableTask.Core.Entities;

namespace Faster.DurableTask.Tests.Hubs;

/// <summary>A service with a worker and a client.</summary>
internal sealed class TestHub : IAsyncDisposable
{
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(60) * TestBudget.Factor;

    private readonly TaskHubWorker _worker;

    private TestHub(FasterOrchestrationService service, TaskHubWorker worker)
    {
        (Service, _worker) = (service, worker);
        Client = new TaskHubClient(service);
    }

    public FasterOrchestrationService Service { get; }

    public TaskHubClient Client { get; }

    public static DurableHubOptions Options(int partitions = 1) => new()
    {
        Partitions = partitions, Store = new StoreOptions { MemoryBudget = ByteSize.MiB(4) },
    };

    /// <summary>Opens a hub, in memory if there is no folder, and starts a worker.</summary>
    public static async Task<TestHub> OpenAsync(
        string? folder, Action<TaskHubWorker> register, DurableHubOptions? options = null)
    {
        FasterOrchestrationService service = new(folder, options ?? Options());
        await service.StartAsync();
        TaskHubWorker worker = new(service) { ErrorPropagationMode = ErrorPropagationMode.UseFailureDetails };
        register(worker);
        await worker.StartAsync();
        return new TestHub(service, worker);
    }

    /// <summary>Creates an instance.</summary>
    public Task<OrchestrationInstance> CreateAsync(string name, string id, object? input = null) =>
        Client.CreateOrchestrationInstanceAsync(name, "", id, input);

    /// <summary>Waits for the end of an instance.</summary>
    public Task<OrchestrationState> EndAsync(string id) =>
        Client.WaitForOrchestrationAsync(new OrchestrationInstance { InstanceId = id }, Limit);

    /// <summary>Creates an instance and waits for its end.</summary>
    public async Task<OrchestrationState> RunAsync(string name, string id, object? input = null)
    {
        await CreateAsync(name, id, input);
        return await EndAsync(id);
    }

    /// <summary>An instance's state.</summary>
    public Task<OrchestrationState> StateAsync(string id) => Service.GetOrchestrationStateAsync(id, null);

    /// <summary>Waits until an instance's state is as wanted.</summary>
    public async Task<OrchestrationState> UntilAsync(string id, Func<OrchestrationState?, bool> isWanted)
    {
        using CancellationTokenSource limit = new(Limit);
        while (true)
        {
            OrchestrationState state = await StateAsync(id);
            if (isWanted(state)) return state;
            limit.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    /// <summary>Waits until nothing waits: no message, no activity, no timer.</summary>
    public async Task UntilIdleAsync()
    {
        using CancellationTokenSource limit = new(Limit);
        while (Service.Statistics.Waiting > 0)
        {
            limit.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _worker.StopAsync(isForced: true);
        await Service.DisposeAsync();
        _worker.Dispose();
    }
}
