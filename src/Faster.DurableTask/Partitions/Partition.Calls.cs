using DurableTask.Core;
using DurableTask.Core.Exceptions;
using DurableTask.Core.History;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

// What clients ask for. Each answer tells of durable steps only.
internal sealed partial class Partition
{
    /// <summary>Creates an instance.</summary>
    /// <param name="message">Its start.</param>
    /// <param name="refused">States of an instance that has ended in which it is not replaced.</param>
    /// <exception cref="OrchestrationAlreadyExistsException">
    /// There is an instance of the id that has not ended, or is in one of the states.
    /// </exception>
    public async Task CreateAsync(TaskMessage message, OrchestrationStatus[]? refused)
    {
        string id = message.OrchestrationInstance.InstanceId;
        Instance instance = await LoadAsync(id).ConfigureAwait(false);
        try
        {
            await RunDurablyAsync(step =>
            {
                if (instance.Record is { } record
                    && (!record.IsOver || refused?.Contains(record.State.OrchestrationStatus) == true))
                {
                    throw new OrchestrationAlreadyExistsException(
                        $"There is an instance '{id}', whose status is {record.State.OrchestrationStatus}.");
                }

                Send(step, message);
            }).ConfigureAwait(false);
        }
        finally
        {
            Unpin(instance);
        }
    }

    /// <summary>Sends a message of a client; one for an instance that is over or absent has no effect.</summary>
    public async Task SendAsync(TaskMessage message)
    {
        Instance instance = await LoadAsync(message.OrchestrationInstance.InstanceId).ConfigureAwait(false);
        try
        {
            await RunDurablyAsync(step =>
            {
                if (instance.Record is { IsOver: false } || instance.IsEntity
                    || message.Event is ExecutionStartedEvent or ExecutionRewoundEvent)
                    Send(step, message);
            }).ConfigureAwait(false);
        }
        finally
        {
            Unpin(instance);
        }
    }

    /// <summary>An instance's record, as of a durable step; null if there is none.</summary>
    public async Task<InstanceRecord?> GetRecordAsync(string id)
    {
        Instance instance = await LoadAsync(id).ConfigureAwait(false);
        try
        {
            InstanceRecord? record;
            bool isDurable;
            lock (_gate) (record, isDurable) = (instance.Record, instance.LastStep <= Durable);
            if (!isDurable) await DurableAsync().ConfigureAwait(false);
            return record;
        }
        finally
        {
            Unpin(instance);
        }
    }

    /// <summary>The history of an instance's present execution, as of a durable step.</summary>
    public async Task<List<HistoryEvent>> GetHistoryAsync(string id)
    {
        while (true)
        {
            Instance instance = await LoadAsync(id).ConfigureAwait(false);
            try
            {
                if (instance.Record is not { ExecutionId: not null } record) return [];
                List<HistoryEvent>? events = await ReadHistoryAsync(instance, record).ConfigureAwait(false);
                await DurableAsync().ConfigureAwait(false);
                // Chunks that a step has merged meanwhile are read again.
                if (events is not null && ReferenceEquals(instance.Record, record)) return events;
            }
            finally
            {
                Unpin(instance);
            }
        }
    }

    /// <summary>Deletes instances that are over, or entities.</summary>
    /// <param name="ids">Their ids.</param>
    /// <param name="isWanted">Says of each, as it is now, whether it is deleted.</param>
    /// <returns>How many were deleted.</returns>
    public async Task<int> PurgeAsync(IReadOnlyList<string> ids, Func<Instance, bool> isWanted)
    {
        List<Instance> instances = [];
        try
        {
            foreach (string id in ids) instances.Add(await LoadAsync(id).ConfigureAwait(false));
            int count = 0;
            await RunDurablyAsync(step =>
            {
                count = 0;
                foreach (Instance instance in instances)
                {
                    if (instance.Record is null || !isWanted(instance)) continue;
                    Delete(step, instance);
                    count++;
                }
            }).ConfigureAwait(false);
            return count;
        }
        finally
        {
            Unpin(instances);
        }
    }

    /// <summary>Adds the partition's figures.</summary>
    public DurableHubStatistics Statistics()
    {
        lock (_gate)
        {
            return new DurableHubStatistics
            {
                Partitions = 1, Steps = Position, Commits = _commits.Commits, RecordsWritten = _records,
                BytesWritten = _bytes, Instances = _index.Count, InstancesInMemory = _instances.Count,
                Waiting = _slots.Occupied - _unreadable, Timers = _timers.Count, SetAside = _unreadable,
            };
        }
    }
}
