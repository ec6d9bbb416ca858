using DurableTask.Core;
using DurableTask.Core.Entities;
using Faster.DurableTask.Hubs;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;
using CoreEntities = DurableTask.Core.Common.Entities;

namespace Faster.DurableTask.Clients;

/// <summary>Entities as clients see them, and the cleaning of their storage, over all partitions.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class EntityQueries(Hub hub, InstanceQueries instances) : EntityBackendQueries
{
    private const int DefaultPageSize = 100;

    /// <inheritdoc/>
    public override async Task<EntityMetadata?> GetEntityAsync(
        EntityId id, bool includeState = false, bool includeStateless = false, CancellationToken cancellation = default)
    {
        string instance = id.ToString();
        Partition partition = await hub.PartitionAsync(instance).ConfigureAwait(false);
        InstanceRecord? record = await partition.GetRecordAsync(instance).ConfigureAwait(false);
        return record is null ? null : Describe(record.State, includeState, includeStateless);
    }

    /// <inheritdoc/>
    public override async Task<EntityQueryResult> QueryEntitiesAsync(EntityQuery query, CancellationToken cancellation)
    {
        string prefix = query.InstanceIdStartsWith is { Length: > 0 } asked ? asked : "@";
        int size = query.PageSize is > 0 ? query.PageSize.Value : DefaultPageSize;
        List<EntityMetadata> found = [];
        string? token = query.ContinuationToken;
        do
        {
            (List<OrchestrationState> states, token) = await instances.PageAsync(
                (id, entry) => CoreEntities.IsEntityInstance(id) && id.StartsWith(prefix, StringComparison.Ordinal)
                    && (query.LastModifiedFrom is null || entry.Updated >= query.LastModifiedFrom)
                    && (query.LastModifiedTo is null || entry.Updated <= query.LastModifiedTo),
                token, size - found.Count, cancellation).ConfigureAwait(false);
            foreach (OrchestrationState state in states)
            {
                if (Describe(state, query.IncludeState, query.IncludeTransient) is { } entity) found.Add(entity);
            }
        }
        while (token is not null && found.Count < size);

        return new EntityQueryResult { Results = found, ContinuationToken = token };
    }

    /// <inheritdoc/>
    public override async Task<CleanEntityStorageResult> CleanEntityStorageAsync(
        CleanEntityStorageRequest request = default, CancellationToken cancellation = default)
    {
        int removed = 0, released = 0;
        (List<OrchestrationState> states, string? token) = await instances.PageAsync(
            static (id, _) => CoreEntities.IsEntityInstance(id), request.ContinuationToken, DefaultPageSize,
            cancellation).ConfigureAwait(false);
        foreach (OrchestrationState state in states)
        {
            string id = state.OrchestrationInstance.InstanceId;
            EntityStatus? status = ClientEntityHelpers.GetEntityStatus(state.Status);
            if (request.ReleaseOrphanedLocks && status?.LockedBy is { } owner && await IsGoneAsync(owner)
                .ConfigureAwait(false))
            {
                await ReleaseAsync(id, owner).ConfigureAwait(false);
                released++;
            }
            else if (request.RemoveEmptyEntities && IsEmpty(status))
            {
                removed += await RemoveAsync(id).ConfigureAwait(false);
            }
        }

        return new CleanEntityStorageResult
        {
            EmptyEntitiesRemoved = removed, OrphanedLocksReleased = released, ContinuationToken = token,
        };
    }

    private async Task<bool> IsGoneAsync(string owner)
    {
        Partition partition = await hub.PartitionAsync(owner).ConfigureAwait(false);
        return await partition.GetRecordAsync(owner).ConfigureAwait(false) is null or { IsOver: true };
    }

    // A message, so that the entity unlocks itself in its turn, and only if that owner still has it.
    private async Task ReleaseAsync(string id, string owner)
    {
        Partition partition = await hub.PartitionAsync(id).ConfigureAwait(false);
        await partition.SendAsync(ClientEntityHelpers.EmitUnlockForOrphanedLock(
            new OrchestrationInstance { InstanceId = id }, owner).AsTaskMessage()).ConfigureAwait(false);
    }

    private async Task<int> RemoveAsync(string id)
    {
        Partition partition = await hub.PartitionAsync(id).ConfigureAwait(false);
        return await partition.PurgeAsync([id], static instance => instance is { IsLocked: false, Inbox.Count: 0 }
            && IsEmpty(ClientEntityHelpers.GetEntityStatus(instance.Record!.State.Status))).ConfigureAwait(false);
    }

    private static bool IsEmpty(EntityStatus? status) =>
        status is null or { EntityExists: false, LockedBy: null, BacklogQueueSize: 0 };

    private static EntityMetadata? Describe(OrchestrationState state, bool includeState, bool includeStateless)
    {
        EntityStatus? status = ClientEntityHelpers.GetEntityStatus(state.Status);
        bool exists = status is { EntityExists: true };
        if (!exists && !includeStateless) return null;
        return new EntityMetadata
        {
            EntityId = EntityId.FromString(state.OrchestrationInstance.InstanceId),
            LastModifiedTime = state.LastUpdatedTime, LockedBy = status?.LockedBy,
            BacklogQueueSize = status?.BacklogQueueSize ?? 0,
            SerializedState = includeState && exists ? ClientEntityHelpers.GetEntityState(state.Input) : null,
        };
    }
}
