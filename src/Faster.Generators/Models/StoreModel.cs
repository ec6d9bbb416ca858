namespace Faster.Generators.Models;

/// <summary>
/// All that the emitter must know of one annotated class: values only, no symbol, no syntax, no location.
/// </summary>
/// <param name="Namespace">The namespace, or null for the global one.</param>
/// <param name="Containers">
/// Headers of the enclosing types, outermost first, such as <c>partial class Outer</c>.
/// </param>
/// <param name="Name">The class's name.</param>
/// <param name="FullName">Its name with <c>global::</c>.</param>
/// <param name="HintName">The emitted file's name without extension.</param>
/// <param name="Accessibility">The accessibility of what is emitted: <c>public</c> or <c>internal</c>.</param>
/// <param name="IsLatched">Whether user functions run under the record's latch.</param>
/// <param name="Key">The keys.</param>
/// <param name="Value">The values.</param>
/// <param name="ReadInput">The readers' input, or null.</param>
/// <param name="UpdateInput">The updaters' input, or null.</param>
/// <param name="Output">What a read gives.</param>
/// <param name="Context">The completion callback's context, or null.</param>
/// <param name="SerializerContext">The serializer context's name, or null.</param>
/// <param name="Functions">The user functions.</param>
internal sealed record StoreModel(
    string? Namespace,
    EquatableArray<string> Containers,
    string Name,
    string FullName,
    string HintName,
    string Accessibility,
    bool IsLatched,
    DataModel Key,
    DataModel Value,
    OperandModel? ReadInput,
    OperandModel? UpdateInput,
    OperandModel Output,
    OperandModel? Context,
    string? SerializerContext,
    EquatableArray<FunctionModel> Functions)
{
    public FunctionModel? this[FunctionKind kind] => Functions.FirstOrDefault(f => f.Kind == kind);

    /// <summary>Whether the store has read-modify-writes.</summary>
    public bool HasRmw => this[FunctionKind.InPlaceUpdater] is not null || this[FunctionKind.CopyUpdater] is not null;

    /// <summary>What merges partial values, or null where none are written.</summary>
    public FunctionModel? Merger => this[FunctionKind.Merger];

    /// <summary>
    /// Whether values of one word are updated by compare-and-swap instead of under the latch: nobody works on the
    /// record's own bytes or says that a value does not fit.
    /// </summary>
    public bool SwapsWords => IsLatched && Value.Kind == DataKind.Unmanaged && Value.IsWord
        && !Functions.Any(static f =>
            f is { Kind: FunctionKind.InPlaceUpdater or FunctionKind.ConcurrentWriter }
                and ({ ReturnsBool: true } or { IsRaw: true }));

    /// <summary>Whether any of the functions takes the key, so that the operation must hold it.</summary>
    public bool KeyIsUsedBy(params FunctionKind[] kinds) =>
        Functions.Any(f => kinds.Contains(f.Kind) && f.Takes(Role.Key));
}
