namespace Faster.Workload.Experiments;

/// <summary>A client that numbers its operations and is told which of them are durable.</summary>
internal interface IClient : IWorker
{
    /// <summary>The number of the last operation that was accepted.</summary>
    long Accepted { get; }

    /// <summary>
    /// Has <paramref name="onDurable"/> called after each commit, on any thread, with the number up to which operations
    /// are durable.
    /// </summary>
    void Observe(Action<long> onDurable);
}
