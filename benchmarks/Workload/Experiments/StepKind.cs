namespace Faster.Workload.Experiments;

/// <summary>What a step does.</summary>
internal enum StepKind
{
    /// <summary>Loads a store and commits it.</summary>
    Commit,

    /// <summary>Recovers what a commit step has left behind.</summary>
    Recovery,

    /// <summary>Records throughput over time around commits.</summary>
    Timeline,

    /// <summary>Clients with buffers of limited size.</summary>
    Buffer,
}
