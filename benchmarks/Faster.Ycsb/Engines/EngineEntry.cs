using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>An engine that the driver can run.</summary>
/// <param name="Name">Its name on command lines and in results.</param>
/// <param name="Program">The assembly of the program that runs its steps.</param>
internal sealed record EngineEntry(string Name, string Program)
{
    /// <summary>How its stores can commit; none for engines that are measured by throughput only.</summary>
    public IReadOnlyCollection<CommitForm> Forms { get; init; } = [];

    /// <summary>Whether its sessions are told what is durable.</summary>
    public bool TellsClients { get; init; }

    /// <summary>How its logs are compacted when one asks for it; none for engines that are not.</summary>
    public IReadOnlyCollection<CompactionMethod> Compactions { get; init; } = [];

    /// <summary>Whether several threads may compact a log.</summary>
    public bool CompactsByThreads { get; init; }

    /// <summary>Why it can't run such stores here, in words that follow its name and a colon; null if it can.</summary>
    public Func<EngineShape, string?> Refuses { get; init; } = _ => null;
}
