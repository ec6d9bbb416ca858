using DurableTask.Core;
using DurableTask.Core.Entities;
using Faster.DurableTask.Clients;
using Faster.DurableTask.Hubs;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;
using Faster.DurableTask.Work;

namespace Faster.DurableTask;

/// <summary>
/// A hub of durable orchestrations, activities and entities in this process, for DurableTask's
/// <see cref="TaskHubWorker"/> and <see cref="TaskHubClient"/>.
/// </summary>
/// <remarks>
/// <para>Its owner disposes of it: starting opens the hub, and stopping, which belongs to a worker, leaves it open for
/// others. An instance's steps happen once; activities run at least once. docs/guide/durable-host.md says more.</para>
/// <para>Thread-safe.</para>
/// </remarks>
public sealed partial class FasterOrchestrationService
    : IOrchestrationService, IEntityOrchestrationService, IAsyncDisposable
{
    private readonly string? _folder;
    private readonly DurableHubOptions _options;
    private readonly SemaphoreSlim _opening = new(1, 1);
    private Hub? _hub;
    private InstanceQueries? _queries;
    private EntityQueries? _entities;
    private ITimer? _retention;
    private bool _isDisposed;

    /// <summary>Makes a service, whose hub is not open yet.</summary>
    /// <param name="folder">The hub's folder; null: a hub in memory, of which nothing is durable.</param>
    /// <param name="options">The options; null for the defaults.</param>
    public FasterOrchestrationService(string? folder, DurableHubOptions? options = null)
    {
        (_folder, _options) = (folder, options ?? new DurableHubOptions());
        EntityBackendProperties = new EntityBackendProperties
        {
            EntityMessageReorderWindow = TimeSpan.Zero, // messages come in order, and once
            MaxEntityOperationBatchSize = 1000, MaxConcurrentTaskEntityWorkItems = _options.MaxConcurrentOrchestrations,
            SupportsImplicitEntityDeletion = true, MaximumSignalDelayTime = TimeSpan.MaxValue,
            UseSeparateQueueForEntityWorkItems = _options.SeparateEntities,
        };
    }

    /// <summary>A snapshot of the hub's figures.</summary>
    public DurableHubStatistics Statistics => Hub.Open().Select(static partition => partition.Statistics())
        .Aggregate(new DurableHubStatistics(), DurableHubStatistics.Sum);

    /// <inheritdoc/>
    public EntityBackendProperties EntityBackendProperties { get; }

    /// <inheritdoc/>
    public EntityBackendQueries EntityBackendQueries => _entities ?? throw NotOpen();

    /// <inheritdoc/>
    public int TaskOrchestrationDispatcherCount => 1;

    /// <inheritdoc/>
    public int MaxConcurrentTaskOrchestrationWorkItems => _options.MaxConcurrentOrchestrations;

    /// <inheritdoc/>
    public BehaviorOnContinueAsNew EventBehaviourForContinueAsNew => BehaviorOnContinueAsNew.Carryover;

    /// <inheritdoc/>
    public int TaskActivityDispatcherCount => 1;

    /// <inheritdoc/>
    public int MaxConcurrentTaskActivityWorkItems => _options.MaxConcurrentActivities;

    internal Hub Hub => _hub ?? throw NotOpen();

    private InstanceQueries Queries => _queries ?? throw NotOpen();

    /// <summary>Opens the hub, or creates it; does nothing if it is open.</summary>
    /// <exception cref="StoreOpenException">A partition can't be opened, or they are not of one time.</exception>
    public async Task StartAsync()
    {
        await _opening.WaitAsync().ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_hub is not null) return;
            Hub hub = await Hub.OpenAsync(_folder, _options).ConfigureAwait(false);
            _queries = new InstanceQueries(hub);
            _entities = new EntityQueries(hub, _queries);
            _hub = hub;
            if (_options.Retention is { } retention) StartRetention(retention);
        }
        finally
        {
            _opening.Release();
        }
    }

    /// <inheritdoc/>
    public Task StopAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(bool isForced) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task CreateAsync() => StartAsync();

    /// <inheritdoc/>
    public async Task CreateAsync(bool recreateInstanceStore)
    {
        if (recreateInstanceStore) await DeleteAsync().ConfigureAwait(false);
        await StartAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task CreateIfNotExistsAsync() => StartAsync();

    /// <inheritdoc/>
    public Task DeleteAsync() => DeleteAsync(deleteInstanceStore: true);

    /// <summary>Closes the hub and deletes its folders.</summary>
    /// <param name="deleteInstanceStore">Whether anything is deleted: there is nothing but instances.</param>
    public async Task DeleteAsync(bool deleteInstanceStore)
    {
        if (!deleteInstanceStore) return;
        await CloseAsync().ConfigureAwait(false);
        if (_folder is null || !Directory.Exists(_folder)) return;
        foreach (string partition in Directory.EnumerateDirectories(_folder, "p*"))
        {
            if (int.TryParse(Path.GetFileName(partition.AsSpan())[1..], out _)) Directory.Delete(partition, true);
        }
    }

    /// <inheritdoc/>
    public bool IsMaxMessageCountExceeded(int currentMessageCount, OrchestrationRuntimeState runtimeState) => false;

    /// <summary>None: an instance whose processing throws waits by itself, and holds up no other.</summary>
    public int GetDelayInSecondsAfterOnProcessException(Exception exception) => 0;

    /// <inheritdoc/>
    public int GetDelayInSecondsAfterOnFetchException(Exception exception) =>
        exception is OperationCanceledException ? 0 : 1;

    /// <inheritdoc/>
    public Task<TaskOrchestrationWorkItem> LockNextTaskOrchestrationWorkItemAsync(
        TimeSpan receiveTimeout, CancellationToken cancellationToken) =>
        LockNextOrchestrationWorkItemAsync(receiveTimeout, cancellationToken);

    /// <inheritdoc/>
    public async Task<TaskOrchestrationWorkItem> LockNextOrchestrationWorkItemAsync(
        TimeSpan receiveTimeout, CancellationToken cancellationToken) =>
        (await Hub.Orchestrations.TakeAsync(TakeAsync, receiveTimeout, cancellationToken).ConfigureAwait(false))!;

    /// <inheritdoc/>
    public async Task<TaskOrchestrationWorkItem> LockNextEntityWorkItemAsync(
        TimeSpan receiveTimeout, CancellationToken cancellationToken) =>
        (await Hub.Entities.TakeAsync(TakeAsync, receiveTimeout, cancellationToken).ConfigureAwait(false))!;

    /// <inheritdoc/>
    public Task RenewTaskOrchestrationWorkItemLockAsync(TaskOrchestrationWorkItem workItem) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task CompleteTaskOrchestrationWorkItemAsync(
        TaskOrchestrationWorkItem workItem, OrchestrationRuntimeState newOrchestrationRuntimeState,
        IList<TaskMessage> outboundMessages, IList<TaskMessage> orchestratorMessages, IList<TaskMessage> timerMessages,
        TaskMessage? continuedAsNewMessage, OrchestrationState? orchestrationState)
    {
        var work = (OrchestrationWork)workItem;
        List<TaskMessage> messages = [.. orchestratorMessages ?? [], .. timerMessages ?? []];
        if (continuedAsNewMessage is not null) messages.Add(continuedAsNewMessage);
        foreach (TaskMessage message in messages) InstanceIds.Check(message.OrchestrationInstance.InstanceId);
        return work.Instance.Partition.CompleteAsync(
            work, newOrchestrationRuntimeState, outboundMessages ?? [], messages, orchestrationState);
    }

    /// <inheritdoc/>
    public Task AbandonTaskOrchestrationWorkItemAsync(TaskOrchestrationWorkItem workItem)
    {
        var work = (OrchestrationWork)workItem;
        work.Instance.Partition.Abandon(work);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task ReleaseTaskOrchestrationWorkItemAsync(TaskOrchestrationWorkItem workItem)
    {
        var work = (OrchestrationWork)workItem;
        work.Instance.Partition.Release(work);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public async Task<TaskActivityWorkItem> LockNextTaskActivityWorkItem(
        TimeSpan receiveTimeout, CancellationToken cancellationToken)
    {
        ActivityWork? work = await Hub.Activities.TakeAsync(static next =>
        {
            (Partition partition, Item item) = next;
            return new ValueTask<ActivityWork?>(partition.IsClosed || item.IsDone ? null : new ActivityWork
            {
                Partition = partition, Item = item, TaskMessage = item.Message, LockedUntilUtc = DateTime.MaxValue,
                Id = $"{partition.Number}/{item.Sequence}", DeliveryAttempt = ++item.Attempts,
            });
        }, receiveTimeout, cancellationToken).ConfigureAwait(false);
        if (work is null || !cancellationToken.IsCancellationRequested) return work!;
        Hub.Activities.Add((work.Partition, work.Item)); // a dispatcher that stops would drop it
        return null!;
    }

    /// <inheritdoc/>
    public Task<TaskActivityWorkItem> RenewTaskActivityWorkItemLockAsync(TaskActivityWorkItem workItem) =>
        Task.FromResult(workItem);

    /// <inheritdoc/>
    public Task CompleteTaskActivityWorkItemAsync(TaskActivityWorkItem workItem, TaskMessage responseMessage)
    {
        var work = (ActivityWork)workItem;
        work.Partition.Complete(work.Item, responseMessage);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task AbandonTaskActivityWorkItemAsync(TaskActivityWorkItem workItem)
    {
        var work = (ActivityWork)workItem;
        work.Partition.Abandon(work.Item);
        return Task.CompletedTask;
    }

    /// <summary>Closes the hub: all that was done is durable.</summary>
    public async ValueTask DisposeAsync()
    {
        await _opening.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_isDisposed) return;
            _isDisposed = true;
        }
        finally
        {
            _opening.Release();
        }

        await CloseAsync().ConfigureAwait(false);
    }

    private static async ValueTask<OrchestrationWork?> TakeAsync(Instance instance) =>
        await instance.Partition.TakeAsync(instance).ConfigureAwait(false);

    private async Task CloseAsync()
    {
        if (_retention is { } retention) await retention.DisposeAsync().ConfigureAwait(false);
        Hub? hub = Interlocked.Exchange(ref _hub, null);
        if (hub is not null) await hub.DisposeAsync().ConfigureAwait(false);
    }

    private InvalidOperationException NotOpen() => _isDisposed
        ? new ObjectDisposedException(nameof(FasterOrchestrationService))
        : new InvalidOperationException("The hub is not open: call StartAsync first.");
}
