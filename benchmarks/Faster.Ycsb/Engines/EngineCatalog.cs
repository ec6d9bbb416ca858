using System.Reflection;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>
/// All engines, ours and peers: a further one is a line here, and a source in the program that runs it.
/// </summary>
internal static class EngineCatalog
{
    private static readonly CommitForm[] EveryForm = Enum.GetValues<CommitForm>();
    private static readonly CommitForm[] WholeForms = [CommitForm.FoldOver, CommitForm.Snapshot];

    /// <summary>The engines, by name.</summary>
    public static IReadOnlyDictionary<string, EngineEntry> Entries { get; } = new EngineEntry[]
    {
        new(StoreSource.EngineName, OwnProgram, EveryForm, TellsClients: true),
        new("faster-csharp", PeerProgram, WholeForms, TellsClients: false),
        new("faster-csharp-safe", PeerProgram, WholeForms, TellsClients: false),
    }.ToDictionary(e => e.Name);

    /// <summary>The sources of the engines that this program runs itself.</summary>
    public static IReadOnlyCollection<ICommitEngineSource> OwnSources { get; } = [new StoreSource()];

    private static string OwnProgram => typeof(EngineCatalog).Assembly.Location;

    private static string PeerProgram => typeof(EngineCatalog).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == nameof(PeerProgram)).Value!;
}
