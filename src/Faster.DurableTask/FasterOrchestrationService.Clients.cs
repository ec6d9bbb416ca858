using DurableTask.Core;
using DurableTask.Core.Exceptions;
using DurableTask.Core.History;
using DurableTask.Core.Query;
using DurableTask.Core.Serializing;
using Faster.DurableTask.Hubs;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;
using Faster.DurableTask.Work;

namespace Faster.DurableTask;

// The interfaces of clients.
public sealed partial class FasterOrchestrationService
    : IOrchestrationServiceClient, IOrchestrationServiceQueryClient, IOrchestrationServicePurgeClient
{
    private static readonly TimeSpan LongestRetentionPause = TimeSpan.FromMinutes(1);

    /// <inheritdoc/>
    public Task CreateTaskOrchestrationAsync(TaskMessage creationMessage) =>
        CreateTaskOrchestrationAsync(creationMessage, null);

    /// <summary>
    /// Creates an instance. One that has not ended is never replaced, whatever the list says; one that has ended is,
    /// unless its status is in the list.
    /// </summary>
    /// <param name="creationMessage">The start.</param>
    /// <param name="dedupeStatuses">The statuses in which an instance is kept; or null.</param>
    /// <exception cref="OrchestrationAlreadyExistsException">There is such an instance.</exception>
    /// <exception cref="OutcomeUnknownException">The partition failed during the call.</exception>
    public async Task CreateTaskOrchestrationAsync(TaskMessage creationMessage, OrchestrationStatus[]? dedupeStatuses)
    {
        ArgumentNullException.ThrowIfNull(creationMessage);
        if (creationMessage.Event is not ExecutionStartedEvent)
            throw new ArgumentException("An instance begins with an ExecutionStartedEvent.", nameof(creationMessage));
        Partition partition = await PartitionOfAsync(creationMessage).ConfigureAwait(false);
        await partition.CreateAsync(creationMessage, dedupeStatuses).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task SendTaskOrchestrationMessageAsync(TaskMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        Partition partition = await PartitionOfAsync(message).ConfigureAwait(false);
        await partition.SendAsync(message).ConfigureAwait(false);
    }

    /// <summary>Sends messages, each by itself, in their order.</summary>
    /// <param name="messages">The messages.</param>
    public async Task SendTaskOrchestrationMessageBatchAsync(params TaskMessage[] messages)
    {
        ArgumentNullException.ThrowIfNull(messages);
        foreach (TaskMessage message in messages)
            await SendTaskOrchestrationMessageAsync(message).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task ForceTerminateTaskOrchestrationAsync(string instanceId, string reason) =>
        SendTaskOrchestrationMessageAsync(new TaskMessage
        {
            OrchestrationInstance = new OrchestrationInstance { InstanceId = instanceId },
            Event = new ExecutionTerminatedEvent(-1, reason),
        });

    /// <summary>Waits until an instance has ended, whichever execution that is.</summary>
    /// <param name="instanceId">The instance's id.</param>
    /// <param name="executionId">Not regarded: an instance that continues as new has other executions.</param>
    /// <param name="timeout">How long to wait; zero or less, or more than 24 days: as long as it takes.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">The instance has not ended in time.</exception>
    public async Task<OrchestrationState> WaitForOrchestrationAsync(
        string instanceId, string? executionId, TimeSpan timeout, CancellationToken cancellationToken)
    {
        InstanceIds.Check(instanceId);
        Waiters waiters = Hub.Waiters;
        TaskCompletionSource<OrchestrationState> waiter = waiters.Add(instanceId);
        try
        {
            if (await RecordAsync(instanceId).ConfigureAwait(false) is { IsOver: true } record)
                return StateCopy.Of(record.State);
            TimeSpan limit = timeout <= TimeSpan.Zero || timeout.TotalMilliseconds > int.MaxValue
                ? Timeout.InfiniteTimeSpan
                : timeout;
            return StateCopy.Of(await waiter.Task.WaitAsync(limit, _options.TimeProvider, cancellationToken)
                .ConfigureAwait(false));
        }
        catch (TimeoutException)
        {
            throw new TimeoutException($"The instance '{instanceId}' has not ended within {timeout}.");
        }
        finally
        {
            waiters.Remove(instanceId, waiter);
        }
    }

    /// <inheritdoc/>
    public async Task<IList<OrchestrationState>> GetOrchestrationStateAsync(string instanceId, bool allExecutions) =>
        await GetOrchestrationStateAsync(instanceId, null).ConfigureAwait(false) is { } state ? [state] : [];

    /// <inheritdoc/>
    public async Task<OrchestrationState> GetOrchestrationStateAsync(string instanceId, string? executionId)
    {
        InstanceIds.Check(instanceId);
        InstanceRecord? record = await RecordAsync(instanceId).ConfigureAwait(false);
        bool isOther = record is null || (!string.IsNullOrEmpty(executionId)
            && executionId != record.State.OrchestrationInstance.ExecutionId);
        return isOther ? null! : StateCopy.Of(record!.State);
    }

    /// <summary>The history of an instance's present execution, as the JSON of DurableTask's converter.</summary>
    /// <param name="instanceId">The instance's id.</param>
    /// <param name="executionId">Not regarded: there is one.</param>
    public async Task<string> GetOrchestrationHistoryAsync(string instanceId, string? executionId)
    {
        InstanceIds.Check(instanceId);
        Partition partition = await Hub.PartitionAsync(instanceId).ConfigureAwait(false);
        return JsonDataConverter.Default.Serialize(await partition.GetHistoryAsync(instanceId).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public Task PurgeOrchestrationHistoryAsync(
        DateTime thresholdDateTimeUtc, OrchestrationStateTimeRangeFilterType timeRangeFilterType) =>
        Queries.PurgeAsync(entry => timeRangeFilterType switch
        {
            OrchestrationStateTimeRangeFilterType.OrchestrationCreatedTimeFilter => entry.Created,
            OrchestrationStateTimeRangeFilterType.OrchestrationCompletedTimeFilter => entry.Completed,
            _ => entry.Updated,
        } <= thresholdDateTimeUtc, until: null);

    /// <inheritdoc/>
    public Task<OrchestrationQueryResult> GetOrchestrationWithQueryAsync(
        OrchestrationQuery query, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(query);
        return Queries.GetAsync(query, cancellationToken);
    }

    /// <summary>Deletes an instance that has ended, or an entity.</summary>
    /// <param name="instanceId">Its id.</param>
    public async Task<PurgeResult> PurgeInstanceStateAsync(string instanceId)
    {
        InstanceIds.Check(instanceId);
        Partition partition = await Hub.PartitionAsync(instanceId).ConfigureAwait(false);
        return new PurgeResult(await partition.PurgeAsync(
            [instanceId], static instance => instance.IsEntity || instance.Record!.IsOver).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public async Task<PurgeResult> PurgeInstanceStateAsync(PurgeInstanceFilter purgeInstanceFilter)
    {
        ArgumentNullException.ThrowIfNull(purgeInstanceFilter);
        OrchestrationStatus[] statuses = [.. purgeInstanceFilter.RuntimeStatus ?? []];
        DateTime? until = purgeInstanceFilter.Timeout is { } limit
            ? _options.TimeProvider.GetUtcNow().UtcDateTime + limit
            : null;
        (int count, bool isComplete) = await Queries.PurgeAsync(entry =>
            entry.Created >= purgeInstanceFilter.CreatedTimeFrom
            && (purgeInstanceFilter.CreatedTimeTo is null || entry.Created <= purgeInstanceFilter.CreatedTimeTo)
            && (statuses.Length == 0 || statuses.Contains(entry.Status)), until).ConfigureAwait(false);
        return new PurgeResult(count, isComplete);
    }

    private async Task<InstanceRecord?> RecordAsync(string id)
    {
        Partition partition = await Hub.PartitionAsync(id).ConfigureAwait(false);
        return await partition.GetRecordAsync(id).ConfigureAwait(false);
    }

    private Task<Partition> PartitionOfAsync(TaskMessage message)
    {
        InstanceIds.Check(message.OrchestrationInstance?.InstanceId);
        return Hub.PartitionAsync(message.OrchestrationInstance!.InstanceId);
    }

    private void StartRetention(TimeSpan retention)
    {
        TimeSpan pause = retention < LongestRetentionPause ? retention : LongestRetentionPause;
        _retention = _options.TimeProvider.CreateTimer(_ => _ = RetainAsync(retention), null, pause, pause);
    }

    private async Task RetainAsync(TimeSpan retention)
    {
        DateTime before = _options.TimeProvider.GetUtcNow().UtcDateTime - retention;
        try
        {
            await Queries.PurgeAsync(entry => entry.Completed <= before, until: null).ConfigureAwait(false);
        }
        catch (Exception e) when (e is FasterException or ObjectDisposedException or InvalidOperationException)
        {
            // The hub closes, or a partition has failed; the next turn comes.
        }
    }
}
