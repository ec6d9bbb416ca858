using DurableTask.Core;
using DurableTask.Core.Entities;
using DurableTask.Core.Entities.OperationFormat;
using Faster.DurableTask.Tests.Hubs;
using Microsoft.DurableTask;
using Microsoft.DurableTask.Entities;
using Microsoft.DurableTask.Worker;
using Microsoft.DurableTask.Worker.Shims;

namespace Faster.DurableTask.Tests.Entities;

/// <summary>Programs as Microsoft.DurableTask has them, with entities, on a worker of DurableTask.Core.</summary>
internal sealed class Shims
{
    private readonly DurableTaskShimFactory _factory = new(new DurableTaskWorkerOptions { EnableEntitySupport = true });
    private readonly Dictionary<string, Func<TaskOrchestration>> _orchestrations = [];
    private readonly Dictionary<string, Func<ITaskEntity>> _entities = [];

    public Shims Orchestration<TInput, TOutput>(
        string name, Func<TaskOrchestrationContext, TInput, Task<TOutput>> run)
    {
        _orchestrations.Add(name, () => _factory.CreateOrchestration<TInput, TOutput>(
            name, async (context, input) => await run(context, input!)));
        return this;
    }

    public Shims Entity<TEntity>(string name)
        where TEntity : ITaskEntity, new()
    {
        _entities.Add(name, static () => new TEntity());
        return this;
    }

    /// <summary>Makes the worker of a service.</summary>
    public TaskHubWorker Worker(IOrchestrationService service) => new(
        service, new Manager<TaskOrchestration>(name => _orchestrations[name]()),
        new Manager<TaskActivity>(static name => throw new InvalidOperationException(name)),
        new Manager<TaskEntity>(name => new AnyEntity(id => _factory.CreateEntity(id.Name, _entities[id.Name](), id))),
        loggerFactory: null)
    {
        ErrorPropagationMode = ErrorPropagationMode.UseFailureDetails,
    };

    // The dispatcher asks for an entity by its name, and the shim needs the whole id.
    private sealed class AnyEntity(Func<EntityId, TaskEntity> make) : TaskEntity
    {
        public override Task<EntityBatchResult> ExecuteOperationBatchAsync(EntityBatchRequest operations) =>
            make(EntityId.FromString(operations.InstanceId!)).ExecuteOperationBatchAsync(operations);
    }

    private sealed class Manager<T>(Func<string, T> make) : INameVersionObjectManager<T>
    {
        public void Add(ObjectCreator<T> creator) => throw new NotSupportedException();

        public T GetObject(string name, string? version) => make(name);
    }
}
