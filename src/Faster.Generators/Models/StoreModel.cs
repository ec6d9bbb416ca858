namespace Faster.Generators.Models;

/// <summary>
/// The properties of one annotated class that the emitter needs: values only, no symbols, syntax or locations.
/// </summary>
/// <param name="Namespace">The namespace, or null for the global one.</param>
/// <param name="Containers">
/// Headers of the enclosing types, outermost first, such as <c>partial class Outer</c>.
/// </param>
/// <param name="Name">The name of the class.</param>
/// <param name="FullName">The qualified name of the class with <c>global::</c>.</param>
/// <param name="HintName">The emitted file's name without extension.</param>
/// <param name="Accessibility">The accessibility of the emitted types: <c>public</c> or <c>internal</c>.</param>
/// <param name="Engine">The engine that emitted code is for: the first one, unless it is for another.</param>
/// <param name="Engines">All engines that the class names.</param>
/// <param name="IsLatched">Whether user functions run under the record's latch.</param>
/// <param name="Key">The type of the keys.</param>
/// <param name="Value">The type of the values.</param>
/// <param name="ReadInput">The readers' input, or null.</param>
/// <param name="UpdateInput">The updaters' input, or null.</param>
/// <param name="Output">The type of a read's output.</param>
/// <param name="UpdateOutput">The type of a read-modify-write's output, or null.</param>
/// <param name="Context">The completion callback's context, or null.</param>
/// <param name="SerializerContext">The serializer context's name, or null.</param>
/// <param name="Functions">The user functions.</param>
/// <param name="Transactions">The transactions.</param>
internal sealed record StoreModel(
    string? Namespace,
    EquatableArray<string> Containers,
    string Name,
    string FullName,
    string HintName,
    string Accessibility,
    EngineModel Engine,
    EquatableArray<EngineModel> Engines,
    bool IsLatched,
    DataModel Key,
    DataModel Value,
    OperandModel? ReadInput,
    OperandModel? UpdateInput,
    OperandModel Output,
    OperandModel? UpdateOutput,
    OperandModel? Context,
    string? SerializerContext,
    EquatableArray<FunctionModel> Functions,
    EquatableArray<TransactionModel> Transactions)
{
    public FunctionModel? this[FunctionKind kind] => Functions.FirstOrDefault(f => f.Kind == kind);

    /// <summary>What all engines of the class can do.</summary>
    public Capabilities Common =>
        Engines.Aggregate((Capabilities)~0, static (all, engine) => all & engine.Capabilities);

    /// <summary>Whether engines of the class commit while others do not.</summary>
    public bool HasCommittingStore =>
        (Common & Capabilities.Commits) == 0 && Engines.Any(static e => e.Has(Capabilities.Commits));

    /// <summary>Whether the store has read-modify-writes.</summary>
    public bool HasRmw => this[FunctionKind.InPlaceUpdater] is not null || this[FunctionKind.CopyUpdater] is not null;

    /// <summary>The function that merges deltas, or null if the store writes none.</summary>
    public FunctionModel? Merger => this[FunctionKind.Merger];

    /// <summary>
    /// Whether values of one word are updated by compare-and-swap instead of under the latch: no user function works on
    /// the record's own bytes or reports that a value does not fit.
    /// </summary>
    public bool SwapsWords => IsLatched && Value.Kind == DataKind.Unmanaged && Value.IsWord
        && !Functions.Any(static f =>
            f is { Kind: FunctionKind.InPlaceUpdater or FunctionKind.ConcurrentWriter }
                and ({ ReturnsBool: true } or { IsRaw: true }));

    /// <summary>Returns whether any of the functions takes the key, so that the operation must hold it.</summary>
    public bool KeyIsUsedBy(params FunctionKind[] kinds) =>
        Functions.Any(f => kinds.Contains(f.Kind) && f.Takes(Role.Key));
}
