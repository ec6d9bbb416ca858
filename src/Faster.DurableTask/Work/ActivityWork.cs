using DurableTask.Core;
using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Work;

/// <summary>An activity with a dispatcher.</summary>
internal sealed class ActivityWork : TaskActivityWorkItem
{
    public required Partition Partition { get; init; }

    public required Item Item { get; init; }
}
