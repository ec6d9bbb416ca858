using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;

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

    /// <summary>How its writes can be waited for until they are durable; none where they can't be.</summary>
    public IReadOnlyCollection<WriteForm> Writes { get; init; } = [];

    /// <summary>Whether threads that wait at once share a sync; false where writers take turns.</summary>
    public bool SharesSyncs { get; init; }

    /// <summary>Why it can't run such stores here, in words that follow its name and a colon; null if it can.</summary>
    public Func<EngineShape, string?> Refuses { get; init; } = _ => null;

    /// <summary>
    /// The form in which the engine has as many writes under way as another form: that form itself, or as many threads
    /// where it can't await; null where it has none.
    /// </summary>
    public WriteShape? ShapeFor(WriteShape asked)
    {
        if (Writes.Contains(asked.Form))
            return asked;
        return asked.Form == WriteForm.Awaited && SharesSyncs && Writes.Contains(WriteForm.Blocking)
            && asked.Outstanding <= WriteShape.Most
            ? new WriteShape(WriteForm.Blocking, asked.Outstanding, 1)
            : null;
    }
}
