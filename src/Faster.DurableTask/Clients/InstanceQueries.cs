using DurableTask.Core;
using DurableTask.Core.Query;
using Faster.DurableTask.Hubs;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;
using Faster.DurableTask.Work;
using CoreEntities = DurableTask.Core.Common.Entities;

namespace Faster.DurableTask.Clients;

/// <summary>
/// Queries over all partitions, in the order of partitions and then of ids. A token names the partition and the id
/// behind which the next page begins.
/// </summary>
/// <remarks>Thread-safe. A page tells of each instance what it was at some durable step during the query.</remarks>
internal sealed class InstanceQueries(Hub hub)
{
    private const int InstancesOfPurge = 128;

    /// <summary>Selects instances and returns a page of them.</summary>
    public async Task<OrchestrationQueryResult> GetAsync(
        OrchestrationQuery query, CancellationToken cancellationToken)
    {
        var (states, token) = await PageAsync(
            (id, entry) => IsWanted(query, id, entry), query.ContinuationToken, Math.Max(1, query.PageSize),
            cancellationToken).ConfigureAwait(false);
        bool drops = !query.FetchInputsAndOutputs;
        return new OrchestrationQueryResult(
            [.. states.Select(state => state.ClearFieldsImmutably(drops, drops))], token);
    }

    /// <summary>A page of the states that are wanted, and the token of the next page; null: there is none.</summary>
    public async Task<(List<OrchestrationState> States, string? Token)> PageAsync(
        Func<string, InstanceIndex.Entry, bool> isWanted, string? token, int size, CancellationToken cancellationToken)
    {
        List<OrchestrationState> states = [];
        (int number, string? after) = Parse(token);
        for (; number < hub.Count; number++, after = null)
        {
            Partition partition = await hub.PartitionAsync(number).ConfigureAwait(false);
            await partition.Index.CompleteAsync(cancellationToken).ConfigureAwait(false);
            List<string> ids = partition.Index.Select(after, size - states.Count, isWanted);
            foreach (string id in ids)
            {
                cancellationToken.ThrowIfCancellationRequested();
                InstanceRecord? record = await partition.GetRecordAsync(id).ConfigureAwait(false);
                // The index may know of a step that has changed it since.
                if (record is not null && isWanted(id, new InstanceIndex.Entry(record.State)))
                    states.Add(StateCopy.Of(record.State));
            }

            if (states.Count >= size) return (states, $"{number}/{ids[^1]}");
            await partition.DurableAsync().ConfigureAwait(false); // that there are no more is an answer, too
        }

        return (states, null);
    }

    /// <summary>Purges the instances that have ended and are wanted.</summary>
    /// <returns>How many, and whether those were all.</returns>
    public async Task<(int Count, bool IsComplete)> PurgeAsync(
        Func<InstanceIndex.Entry, bool> isWanted, DateTime? until)
    {
        int count = 0;
        for (int number = 0; number < hub.Count; number++)
        {
            Partition partition = await hub.PartitionAsync(number).ConfigureAwait(false);
            await partition.Index.CompleteAsync(CancellationToken.None).ConfigureAwait(false);
            string? after = null;
            while (partition.Index.Select(after, InstancesOfPurge, (_, entry) => IsOver(entry) && isWanted(entry))
                is { Count: > 0 } ids)
            {
                if (until < hub.Options.TimeProvider.GetUtcNow().UtcDateTime) return (count, false);
                after = ids[^1];
                count += await partition.PurgeAsync(ids, instance =>
                    instance.Record is { IsOver: true } record && isWanted(new InstanceIndex.Entry(record.State)))
                    .ConfigureAwait(false);
            }
        }

        return (count, true);
    }

    private static bool IsWanted(OrchestrationQuery query, string id, InstanceIndex.Entry entry) =>
        (query.CreatedTimeFrom is null || entry.Created >= query.CreatedTimeFrom)
        && (query.CreatedTimeTo is null || entry.Created <= query.CreatedTimeTo)
        && (query.RuntimeStatus is not { Count: > 0 } statuses || statuses.Contains(entry.Status))
        && (query.InstanceIdPrefix is null || id.StartsWith(query.InstanceIdPrefix, StringComparison.Ordinal))
        && !(query.ExcludeEntities && CoreEntities.IsEntityInstance(id));

    private static bool IsOver(InstanceIndex.Entry entry) => entry.Status is OrchestrationStatus.Completed
        or OrchestrationStatus.Failed or OrchestrationStatus.Terminated or OrchestrationStatus.Canceled;

    private static (int Number, string? After) Parse(string? token)
    {
        if (string.IsNullOrEmpty(token)) return (0, null);
        int slash = token.IndexOf('/', StringComparison.Ordinal);
        if (slash > 0 && int.TryParse(token.AsSpan(0, slash), out int number) && number >= 0)
            return (number, token[(slash + 1)..]);
        throw new ArgumentException($"'{token}' is no continuation token of this hub.", nameof(token));
    }
}
