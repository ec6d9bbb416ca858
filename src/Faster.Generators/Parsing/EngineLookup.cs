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
    private const string Suffix = "Engine";

    private static readonly SymbolDisplayFormat WithoutArguments =
        SymbolDisplayFormat.FullyQualifiedFormat.WithGenericsOptions(SymbolDisplayGenericsOptions.None);

    private static readonly (Capabilities Capability, string Interface, int Arity)[] OfStores =
    [
        (Capabilities.Folder, "IFolderStore", 0), (Capabilities.Commits, "ICommitStore", 1),
        (Capabilities.Mergers, "IMergingStore", 0), (Capabilities.Scans, "IScanStore", 1),
        (Capabilities.Log, "ILogStore", 1), (Capabilities.Subscriptions, "ISubscriptionStore", 1),
        (Capabilities.History, "IHistoryStore", 1),
    ];

    private static readonly (Capabilities Capability, string Interface, int Arity)[] OfSessions =
    [
        (Capabilities.Pending, "IPendingSession", 0), (Capabilities.Sequences, "ISequenceSession", 0),
        (Capabilities.Transactions, "ITransactionSession", 0),
    ];

    /// <summary>
    /// Returns the engine types of an attribute: the one that it names, or the default, and those that it names beside.
    /// </summary>
    public static IEnumerable<ITypeSymbol> EnginesOf(AttributeData attribute)
    {
        TypedConstant also = attribute.NamedArguments.FirstOrDefault(static a => a.Key == "Also").Value;
        ITypeSymbol? first = attribute.NamedArguments.FirstOrDefault(static a => a.Key == "Engine").Value.Value
            as ITypeSymbol ?? attribute.AttributeClass!.ContainingAssembly.GetTypeByMetadataName(Default);
        IEnumerable<object?> others = also is { Kind: TypedConstantKind.Array, IsNull: false }
            ? also.Values.Select(static type => type.Value)
            : [];
        return others.Prepend(first).OfType<ITypeSymbol>();
    }

    /// <summary>Returns what the names of an engine's store and session begin with.</summary>
    public static string PrefixOf(ITypeSymbol engine) => engine.Name.EndsWith(Suffix, StringComparison.Ordinal)
        ? engine.Name.Substring(0, engine.Name.Length - Suffix.Length)
        : engine.Name;

    /// <summary>Returns the model of an engine, or null if a type is not an engine.</summary>
    public static EngineModel? Read(ITypeSymbol? engine)
    {
        INamedTypeSymbol[] types = engine is null ? [] : [.. TypesOf(engine)];
        return types.Length == 3
            && StartOf(types[0], arity: 2) is { } storeStart && StartOf(types[1], arity: 0) is { } sessionStart
            ? new EngineModel(
                "", Name(engine!), Name(types[0]), Name(storeStart), Name(types[1]), Name(sessionStart), Name(types[2]),
                Of(types[0], OfStores) | Of(types[1], OfSessions))
            : null;
    }

    /// <summary>Returns the names of the members that sessions of an engine inherit.</summary>
    public static IEnumerable<string> SessionMembers(ITypeSymbol engine)
    {
        for (INamedTypeSymbol? type = TypesOf(engine).ElementAtOrDefault(1); type is not null; type = type.BaseType)
        {
            foreach (ISymbol member in type.GetMembers())
            {
                if (member.DeclaredAccessibility > Accessibility.Private) yield return member.Name;
            }
        }
    }

    /// <summary>Returns the types of an engine that emitted code names.</summary>
    public static IEnumerable<ITypeSymbol> NamedBy(ITypeSymbol engine) => [engine, .. TypesOf(engine)];

    /// <summary>Returns the names of the library's engines that can do something, in order.</summary>
    public static IEnumerable<string> EnginesWith(Capabilities capability, AttributeData attribute) =>
        attribute.AttributeClass!.ContainingNamespace.GetTypeMembers()
            .Where(type => Read(type)?.Has(capability) == true)
            .Select(static type => type.Name).OrderBy(static name => name, StringComparer.Ordinal);

    // The store, the session and the options.
    private static IEnumerable<INamedTypeSymbol> TypesOf(ITypeSymbol engine) =>
        engine.FindAttribute($"{Contracts}.EngineAttribute") is { } attribute
            ? attribute.ConstructorArguments.Select(static a => a.Value).OfType<INamedTypeSymbol>()
                .Select(static type => type.OriginalDefinition)
            : [];

    // What the constructor for derived types takes.
    private static ITypeSymbol? StartOf(INamedTypeSymbol type, int arity) => type.Arity != arity || type.IsSealed
        ? null
        : type.InstanceConstructors.FirstOrDefault(static c => c.Parameters.Length == 1
            && c.DeclaredAccessibility is Accessibility.Public or Accessibility.Protected
                or Accessibility.ProtectedOrInternal)?.Parameters[0].Type;

    private static Capabilities Of(
        ITypeSymbol type, (Capabilities Capability, string Interface, int Arity)[] known) =>
        known.Where(k => type.AllInterfaces.Any(i => i.Is($"{Contracts}.{k.Interface}", k.Arity)))
            .Aggregate(Capabilities.None, static (all, k) => all | k.Capability);

    private static string Name(ITypeSymbol type) => type.ToDisplayString(WithoutArguments);
}
