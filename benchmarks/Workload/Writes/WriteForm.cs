namespace Faster.Workload.Writes;

/// <summary>How clients wait until what they wrote is durable.</summary>
internal enum WriteForm
{
    /// <summary>A thread writes one value, and goes on when it is durable.</summary>
    Blocking,

    /// <summary>A session has several writes under way, and issues another one when the oldest is durable.</summary>
    Awaited,

    /// <summary>A thread writes several values by one call, and goes on when all of them are durable.</summary>
    Batches,
}
