using DurableTask.Core;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Work;

/// <summary>
/// An instance with a dispatcher. While the instance stays in memory it is handed out again and again, with the
/// execution that DurableTask keeps in it: so nothing is replayed.
/// </summary>
internal sealed class OrchestrationWork : TaskOrchestrationWorkItem, IOrchestrationSession
{
    public required Instance Instance { get; init; }

    /// <summary>The epoch of the instance when it was taken.</summary>
    public required int Epoch { get; set; }

    /// <summary>What its completion consumes: the messages that it has, and those that it does not need.</summary>
    public required List<Item> Items { get; set; }

    /// <summary>Whether its processing has thrown.</summary>
    public bool IsAbandoned { get; set; }

    /// <summary>Takes what has arrived since the last completion; null ends the session: nothing has.</summary>
    public Task<IList<TaskMessage>?> FetchNewOrchestrationMessagesAsync(TaskOrchestrationWorkItem workItem) =>
        Task.FromResult(Instance.Partition.TakeMore(this));

    /// <inheritdoc/>
    public Task EndSessionAsync() => Task.CompletedTask;
}
