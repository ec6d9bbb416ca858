using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// Finds the engine that a store names, and reads what the engine can do from the interfaces of the contract that its
/// store and session implement. It knows no engine by name but the default one.
/// </summary>
internal static class EngineLookup
{
    private const string Contracts = "Faster.Contracts";
    private const string Default = "Faster.FasterEngine";

    private static readonly (Capabilities Capability, string Interface, int Arity)[] OfStores =
    [
        (Capabilities.Folder, "IFolderStore", 2), (Capabilities.Commits, "ICommitStore", 3),
        (Capabilities.LogCommits, "ILogCommitStore", 0), (Capabilities.Mergers, "IMergingStore", 0),
        (Capabilities.Scans, "IScanStore", 1), (Capabilities.Log, "ILogStore", 1),
        (Capabilities.IndexSizing, "IIndexStore", 0), (Capabilities.Reclamation, "IReclaimingStore", 0),
        (Capabilities.Faults, "IFaultStore", 0), (Capabilities.Statistics, "IStatisticsStore", 1),
        (Capabilities.Subscriptions, "ISubscriptionStore", 1), (Capabilities.CommitScans, "ICommitScanStore", 1),
        (Capabilities.History, "IHistoryStore", 1),
    ];

    private static readonly (Capabilities Capability, string Interface, int Arity)[] OfSessions =
    [
        (Capabilities.Pending, "IPendingSession", 0), (Capabilities.Expiry, "IExpirySession", 0),
        (Capabilities.Sequences, "ISequenceSession", 0),
    ];

    /// <summary>Returns the engine type of an attribute: the type that it names, or the default.</summary>
    public static ITypeSymbol? TypeOf(AttributeData attribute) =>
        attribute.NamedArguments.FirstOrDefault(a => a.Key == "Engine").Value.Value as ITypeSymbol
        ?? attribute.AttributeClass!.ContainingAssembly.GetTypeByMetadataName(Default);

    /// <summary>Returns the model of an engine, or null if a type is not an engine.</summary>
    public static EngineModel? Read(ITypeSymbol? engine)
    {
        if (engine is null || Find(engine, "IEngine", 3) is not { } contract) return null;
        ITypeSymbol store = contract.TypeArguments[0], session = contract.TypeArguments[1];
        Capabilities capabilities = Of(store, OfStores) | Of(session, OfSessions);
        bool opens = Find(store, "IMemoryStore", 2) is not null || (capabilities & Capabilities.Folder) != 0;
        return opens
            ? new EngineModel(
                Name(store), Name(session), Name(contract.TypeArguments[2]),
                Find(store, "IStatisticsStore", 1) is { } figures ? Name(figures.TypeArguments[0]) : null,
                Find(store, "ILogStore", 1) is { } log ? Name(log.TypeArguments[0]) : null,
                capabilities)
            : null;
    }

    /// <summary>Returns the types of an engine that emitted code names.</summary>
    public static IEnumerable<ITypeSymbol> NamedBy(ITypeSymbol engine)
    {
        INamedTypeSymbol contract = Find(engine, "IEngine", 3)!;
        ITypeSymbol store = contract.TypeArguments[0];
        return contract.TypeArguments
            .Concat(Find(store, "IStatisticsStore", 1)?.TypeArguments ?? [])
            .Concat(Find(store, "ILogStore", 1)?.TypeArguments ?? []);
    }

    /// <summary>Returns the names of the library's engines that can do something, in order.</summary>
    public static IEnumerable<string> EnginesWith(Capabilities capability, AttributeData attribute) =>
        attribute.AttributeClass!.ContainingNamespace.GetTypeMembers()
            .Where(type => Read(type)?.Has(capability) == true)
            .Select(static type => type.Name).OrderBy(static name => name, StringComparer.Ordinal);

    private static Capabilities Of(
        ITypeSymbol type, (Capabilities Capability, string Interface, int Arity)[] known) =>
        known.Where(k => Find(type, k.Interface, k.Arity) is not null)
            .Aggregate(Capabilities.None, static (all, k) => all | k.Capability);

    private static INamedTypeSymbol? Find(ITypeSymbol type, string name, int arity) =>
        type.AllInterfaces.FirstOrDefault(i => i.Is($"{Contracts}.{name}", arity));

    private static string Name(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);
}
